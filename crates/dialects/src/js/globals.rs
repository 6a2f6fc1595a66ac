//! The names that every piece of JavaScript has without being given them, and those that people look for in vain.

/// What the language itself and the evaluator give.
const GLOBALS: [&str; 57] = [
    "Array",
    "ArrayBuffer",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "EvalError",
    "Float32Array",
    "Float64Array",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakSet",
    "arguments",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "in_path",
    "isFinite",
    "isNaN",
    "now",
    "parseFloat",
    "parseInt",
    "path_to_key",
    "text",
    "undefined",
    "uuid",
];

/// What others give and we do not, with what to do instead.
const ABSENT: [(&str, &str); 14] = [
    (
        "console",
        "there is no console: `workflow_trace_transformations` shows what a transform was given and what it gave",
    ),
    ("process", "give it as an input: `inputs.name`"),
    ("require", "nothing can be loaded: write the function out, or let a `shell_command` do it"),
    ("fetch", "nothing can be asked for: let an `mcp_call` or a `shell_command` do it, and read its result"),
    ("setTimeout", "an expression is evaluated at once, and nothing of it runs later"),
    ("setInterval", "an expression is evaluated at once, and nothing of it runs later"),
    ("window", "there is no page here"),
    ("document", "there is no page here"),
    ("globalThis", "name what is meant: a field of the state, or `inputs.name`"),
    ("eval", "no text becomes code here: write the expression out"),
    ("Function", "no text becomes code here: write the function out"),
    ("Intl", "the evaluator has no `Intl`: `toFixed` and `padStart` do what is mostly needed"),
    ("structuredClone", "write `JSON.parse(JSON.stringify(value))`"),
    ("Buffer", "there is none: let a `shell_command` encode it"),
];

/// Whether every piece of JavaScript has a name.
pub(crate) fn is_global(name: &str) -> bool {
    GLOBALS.binary_search(&name).is_ok()
}

/// What to do in place of something that other hosts of the language have.
pub(crate) fn absent(name: &str) -> Option<&'static str> {
    ABSENT.iter().find(|(absent, _)| *absent == name).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globals_are_sorted_so_that_they_are_found() {
        assert!(GLOBALS.is_sorted());
        assert!(is_global("Object") && is_global("uuid") && !is_global("console"));
        assert!(ABSENT.iter().all(|(name, _)| !is_global(name)));
    }
}
