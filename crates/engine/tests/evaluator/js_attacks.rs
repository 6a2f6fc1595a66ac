//! Attacks in JavaScript: on time, memory and stack, on the language itself, on what comes out, and on the way out.

use crate::attacks::End::{self, Any, Refused, Sentence, Value};
use crate::attacks::{Attack, chain};

fn nested(open: &str, close: &str, count: usize) -> String {
    format!("{}{}", open.repeat(count), close.repeat(count))
}

pub(crate) fn list() -> Vec<Attack> {
    [time(), memory(), stack(), language(), results(), sources()].concat()
}

fn time() -> Vec<Attack> {
    [
        ("an endless loop", "for (;;) {}", Sentence),
        ("an endless loop that catches", "for (;;) { try { for (;;) {} } catch (e) {} }", Sentence),
        ("an endless loop behind finally", "try { for (;;) {} } finally { for (;;) {} }", Sentence),
        ("an endless loop in a callback", "[1].map(() => { for (;;) {} })", Sentence),
        ("an endless comparison", "[2, 1].sort(() => { for (;;) {} })", Sentence),
        ("an endless getter", "({ get a() { for (;;) {} } }).a", Sentence),
        ("an endless getter of the result", "({ get a() { for (;;) {} } })", Sentence),
        ("an endless toJSON", "({ toJSON() { for (;;) {} } })", Sentence),
        ("an endless toString", "text({ toJSON() { for (;;) {} } })", Sentence),
        ("an endless toPrimitive", "+{ [Symbol.toPrimitive]() { for (;;) {} } }", Sentence),
        ("an endless iterator", "[...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1 }) }) }]", Sentence),
        ("an endless generator", "for (const x of (function* () { for (;;) yield 1 })()) ;", Sentence),
        ("an endless thenable", "Promise.resolve({ then(done) { for (;;) {} } })", Sentence),
        ("an endless message", "throw { get message() { for (;;) {} } }", Refused),
        ("an endless message of an error", "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { for (;;) {} } }); throw e", Sentence),
        ("an endless stack", "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;) {} } }); throw e", Sentence),
        ("an endless error name", "throw Object.assign(new Error('x'), { name: { toString() { for (;;) {} } } })", Sentence),
        ("a stack maker", "Error.prepareStackTrace = () => { for (;;) {} }; null.x", Refused),
        ("a pattern that backtracks", "/^(a+)+$/.test('a'.repeat(40) + 'b')", Sentence),
        ("a pattern with alternatives", "/^(a|a|a)*$/.test('a'.repeat(60) + 'b')", Sentence),
        ("a pattern that looks back", "/(?<=(a+)+)b$/.test('a'.repeat(60))", Any),
        ("a replacement that backtracks", "('x'.repeat(5e4)).replace(/(x+x+)+y/g, '')", Any),
        ("a large sort", "Array.from({ length: 3e6 }, (_, i) => -i).sort()", Any),
        ("a large sparse join", "new Array(2 ** 32 - 2).join('')", Refused),
        ("a sparse indexOf", "const a = []; a.length = 2 ** 32 - 1; return a.indexOf(1)", Any),
        ("a sparse reverse", "const a = [1]; a.length = 2 ** 32 - 1; return a.reverse().length", Refused),
        ("a sparse fill", "const a = []; a.length = 2 ** 32 - 1; return a.fill(1).length", Refused),
        ("a sparse includes", "new Array(2 ** 32 - 2).includes(1)", Any),
        ("a sparse concat", "const a = new Array(2 ** 32 - 2); return [].concat(a, a).length", Refused),
        ("a sparse copyWithin", "new Array(2 ** 32 - 2).copyWithin(0, 1).length", Refused),
        ("a sparse splice", "new Array(2 ** 32 - 2).splice(0, 1).length", Refused),
        ("a long thing that is no list", "Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)", Refused),
        ("a long thing that is shifted", "Array.prototype.unshift.call({ length: 2 ** 53 - 10 }, 1)", Refused),
        ("a large shift", "const a = []; for (let i = 0; i < 1e6; i++) a.unshift(i); return a.length", Any),
        ("a search for a needle", "'a'.repeat(2e7).indexOf('a'.repeat(1e6) + 'b')", Any),
        ("normalize of much", "'\\u0344'.repeat(1e6).normalize('NFKD').length", Any),
        ("a large power", "2n ** 50000000n", Sentence),
        ("a large product", "let n = 3n; for (let i = 0; i < 40; i++) n *= n; return 1", Any),
        ("digits of a large number", "((2n ** 900000n).toString()).length", Any),
    ]
    .map(own)
    .into()
}

fn memory() -> Vec<Attack> {
    [
        ("text doubling", "let s = 'x'; for (;;) s += s", Refused),
        ("text doubling that is read", "let s = 'x'; for (let i = 0; i < 60; i++) { s += s; s.charCodeAt(1) }", Refused),
        ("a text that repeats", "'x'.repeat(5e8).length", Any),
        ("padding", "'x'.padEnd(2 ** 30 - 30, 'ab').length", Any),
        ("lists that grow", "const a = []; for (;;) a.push([a.length])", Refused),
        ("list doubling", "let a = [1]; for (;;) a = a.concat(a)", Refused),
        ("list spreading", "let a = [1]; for (;;) a = [...a, ...a]", Refused),
        ("a large list", "new Array(3e8).fill(1)", Any),
        ("a larger list from nothing", "Array.from({ length: 4e9 })", Refused),
        ("a large map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x' + i)", Refused),
        ("a map over many", "new Array(2 ** 26).fill(0).map(x => [x])", Any),
        ("objects that hold each other", "for (;;) { const a = { x: 'x'.repeat(1000) }, b = { a }; a.b = b }", Refused),
        ("many names", "const o = {}; for (let i = 0; ; i++) o['k' + i] = i", Refused),
        ("many symbols", "const o = {}; for (;;) o[Symbol()] = 1", Refused),
        ("many functions", "const a = []; for (;;) a.push(() => a)", Refused),
        ("many patterns", "const a = []; for (let i = 0; ; i++) a.push(new RegExp('(' + 'a'.repeat(i % 1000) + ')*'))", Refused),
        ("a pattern that explodes", "new RegExp('(?:'.repeat(1000) + 'a' + '{1,1000})'.repeat(1000)).test('a')", Any),
        ("a replacement that multiplies", "let s = 'x'; for (;;) s = s.replace(/x/g, 'xxxx')", Refused),
        ("a join that multiplies", "let s = 'x'.repeat(1e4); for (;;) s = [s, s, s].join(s)", Refused),
        ("a split of much", "'x'.repeat(1e8).split('').length", Refused),
        ("JSON that multiplies", "let s = 'x'; for (;;) s = JSON.stringify([s, s])", Refused),
        ("JSON with a wide indent", "let a = []; for (let i = 0; i < 5000; i++) a = [a]; return JSON.stringify(a, null, 10).length", Any),
        ("promises", "const a = []; for (;;) a.push(new Promise(() => {}))", Refused),
        ("memory that is caught", "const a = []; for (;;) { try { for (;;) a.push('x'.repeat(1e5) + a.length) } catch (e) { a.length = 1 } }", Any),
        ("memory that is caught and kept", "const a = []; try { for (;;) a.push('x'.repeat(1e4) + a.length) } catch (e) {} return a.length > 1", Any),
        ("an error with a huge message", "throw new Error('x'.repeat(3e7))", Refused),
        ("a huge text that is thrown", "throw 'x'.repeat(3e7)", Refused),
        ("a deep error cause", "let e = null; for (;;) e = new Error('x', { cause: e })", Refused),
    ]
    .map(own)
    .into()
}

fn stack() -> Vec<Attack> {
    let deep = nested("[", "]", 8_000);
    let mut all: Vec<Attack> = [
        ("recursion", "(function f() { f() })()", Sentence),
        ("recursion that catches", "(function f() { try { f() } catch (e) { f() } })()", Sentence),
        ("recursion through a callback", "(function f() { [1].forEach(f) })()", Sentence),
        ("recursion through sort", "(function f() { [2, 1].sort(f) })()", Sentence),
        ("recursion through replace", "(function f() { 'x'.replace(/x/, f) })()", Sentence),
        ("recursion through toString", "const o = { toString() { return '' + o } }; return '' + o", Sentence),
        ("recursion through a getter", "const o = { get a() { return o.a } }; return o.a", Sentence),
        (
            "recursion through toJSON",
            "const o = { toJSON() { return JSON.stringify(o) } }; return o",
            Sentence,
        ),
        ("recursion through apply", "(function f() { f.apply(null, []) })()", Sentence),
        (
            "recursion through bind",
            "let f = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(null); return f()",
            Any,
        ),
        ("recursion through Reflect", "(function f() { Reflect.construct(f, []) })()", Sentence),
        ("recursion through a class", "class A { constructor() { new A() } } return new A()", Sentence),
        ("recursion through generators", "function* g() { yield* g() } return [...g()]", Sentence),
        (
            "a long chain of prototypes",
            "let o = {}; for (let i = 0; i < 1e6; i++) o = Object.create(o); return o.x",
            Any,
        ),
        ("many arguments", "Math.max(...new Array(1e6).fill(1))", Any),
        ("many arguments by apply", "String.fromCharCode.apply(null, new Array(5e6).fill(65)).length", Any),
        (
            "a deep list to text",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return String(a).length",
            Any,
        ),
        (
            "a deep list to JSON",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a)",
            Refused,
        ),
        (
            "a deep list that is flattened",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a.flat(Infinity)",
            Any,
        ),
        ("a deep list as a result", "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a", Refused),
        (
            "a deep list that is only dropped",
            "let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return 1",
            Any,
        ),
        ("deep JSON", "JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))", Sentence),
        ("deep JSON that is revived", "JSON.parse('['.repeat(5e3) + ']'.repeat(5e3), (k, v) => v)", Any),
        ("a deep pattern", "new RegExp('('.repeat(1e5) + ')'.repeat(1e5))", Sentence),
        ("a pattern with deep classes", "new RegExp('['.repeat(1e5) + ']'.repeat(1e5), 'v')", Sentence),
        ("a rope", "let s = ''; for (let i = 0; i < 1e6; i++) s = 'x' + s; return s.length", Value),
    ]
    .map(own)
    .into();
    all.push(("nested lists", deep.clone(), Sentence));
    all.push(("nested parentheses", format!("{}1{}", "(".repeat(8_000), ")".repeat(8_000)), Any));
    all.push(("nested functions", format!("{}1", "()=>".repeat(4_000)), Sentence));
    all.push(("nested blocks", nested("{", "}", 8_000), Any));
    all.push(("nested templates", format!("{}{}", "`${".repeat(5_000), "}`".repeat(3_000)), Sentence));
    all
}

fn language() -> Vec<Attack> {
    [
        ("the constructor's constructor", "''.constructor.constructor('return globalThis')()", Sentence),
        ("a constructor of generators", "(function* () {}).constructor('yield 1')().next().value", Sentence),
        ("indirect eval", "(0, eval)('1')", Sentence),
        ("eval by another name", "globalThis['ev' + 'al']('1')", Sentence),
        ("a constructor of a native", "Math.max.constructor('return 1')()", Sentence),
        ("require", "require('fs').readFileSync('/etc/passwd')", Sentence),
        ("process", "process.env", Sentence),
        ("import", "import('fs')", Sentence),
        ("import of a file", "import('/etc/passwd')", Sentence),
        ("import.meta", "import.meta", Sentence),
        ("fetch", "fetch('http://127.0.0.1')", Sentence),
        ("std", "std.loadFile('/etc/passwd')", Sentence),
        ("os", "os.exec(['id'])", Sentence),
        ("timers", "setTimeout(() => {}, 1)", Sentence),
        ("the caller", "(function f() { return f.caller })()", Any),
        ("arguments' callee", "(function () { return arguments.callee.caller })()", Any),
        ("chance", "Math.random()", Sentence),
        ("chance by another name", "Object.getOwnPropertyDescriptor(Math, 'random').value()", Sentence),
        ("the clock through a subclass", "class D extends Date {} return new D().getTime()", Value),
        ("the clock through Reflect", "Reflect.construct(Date, [], Object).getTime === undefined", Value),
        ("the clock through a prototype", "new (Object.getPrototypeOf(new Date(0)).constructor)().getTime()", Value),
        ("a polluted prototype", "Object.prototype.toJSON = () => 'mine'; return { a: 1 }", Any),
        ("a polluted list", "Array.prototype.push = () => { throw 1 }; return [1].concat(2)", Value),
        ("a polluted iterator", "Array.prototype[Symbol.iterator] = null; return text([1])", Any),
        ("a frozen world", "Object.freeze(globalThis); Object.freeze(Object.prototype); return 1", Value),
        ("JSON replaced", "JSON.stringify = JSON.parse = null; return text({ a: 1 })", Value),
        ("globals deleted", "for (const k of Object.getOwnPropertyNames(globalThis)) delete globalThis[k]; return 1", Sentence),
        ("the functions replaced", "text = now = uuid = null; return 1", Value),
        ("a label that is left", "a: for (;;) { for (;;) break a } return 1", Value),
        ("with", "with ({ a: 1 }) { return a }", Value),
        ("a class that is its own parent", "class A extends A {}", Sentence),
        ("species", "class A extends Array { static get [Symbol.species]() { for (;;) {} } } return new A(1, 2).map(x => x)", Sentence),
        ("a length that lies", "Array.from({ length: -1 }).length + Array.from({ length: 'x' }).length", Value),
        ("a list that changes while it is sorted", "const a = [3, 2, 1]; a.sort((x, y) => { a.length = 0; return x - y }); return a.length", Any),
        ("a list that changes while it is mapped", "const a = [1, 2, 3]; return a.map(() => { a.length = 0; return 1 }).length", Any),
        ("a list that grows while it is walked", "const a = [1]; for (const x of a) a.push(x)", Sentence),
        ("a map that grows while it is walked", "const m = new Map([[1, 1]]); m.forEach((v, k) => m.set(k + 1, 1))", Sentence),
        ("async", "async function f() { for (;;) await 1 } return f()", Sentence),
        ("a pattern that remembers", "const r = /x/g; r.lastIndex = 2 ** 53; return r.exec('x')", Any),
        ("a date far away", "new Date(8.64e15 + 1).toISOString()", Sentence),
    ]
    .map(own)
    .into()
}

fn results() -> Vec<Attack> {
    [
        ("a value in itself", "const a = []; a.push(a); return a", Sentence),
        ("a value that doubles", "let a = [1]; for (let i = 0; i < 60; i++) a = [a, a]; return a", Sentence),
        ("a large text", "'x'.repeat(5e6)", Sentence),
        ("a large list of little", "new Array(1e6).fill(1)", Sentence),
        ("a list that only seems large", "const a = []; a.length = 4e9; return a", Sentence),
        ("a getter that throws", "({ get a() { throw new Error('no') } })", Sentence),
        (
            "a toJSON that gives another",
            "let n = 0; const o = () => ({ toJSON: () => [o()] }); return o()",
            Sentence,
        ),
        (
            "a list whose length is overridden",
            "const a = [1, 2]; a.toJSON = () => ({ length: 1e9 }); return a",
            Value,
        ),
        ("half a character", "'\\ud800'.repeat(10)", Value),
        ("half a character as a key", "({ ['\\udfff']: 1 })", Value),
        ("a key that is __proto__", "JSON.parse('{\"__proto__\": {\"x\": 1}}')", Value),
        ("a key of a megabyte", "({ ['k'.repeat(2e6)]: 1 })", Sentence),
        ("many keys", "Object.fromEntries(Array.from({ length: 1e5 }, (_, i) => [i, i]))", Sentence),
        ("a thrown nothing", "throw undefined", Sentence),
        ("a thrown null", "throw null", Sentence),
        ("a thrown symbol", "throw Symbol('x')", Sentence),
        ("a thrown round thing", "const a = {}; a.a = a; throw a", Sentence),
        ("a thrown function", "throw () => 1", Sentence),
        (
            "an error that lies about its place",
            "const e = new Error('x'); e.stack = 'at x (expression:99999999999999999999:1)'; throw e",
            Sentence,
        ),
        (
            "an error with another place",
            "const e = new Error('x'); e.stack = '    at (expression:4000000000:4000000000)'; throw e",
            Sentence,
        ),
        (
            "an error without a prototype",
            "const e = new Error('x'); Object.setPrototypeOf(e, null); throw e",
            Sentence,
        ),
    ]
    .map(own)
    .into()
}

fn sources() -> Vec<Attack> {
    vec![
        ("16 KiB of sums", format!("1{}", chain("+1", 16_000)), Value),
        ("16 KiB of `!`", format!("{}1", chain("!", 16_000)), Any),
        ("16 KiB of minus", format!("{}1", chain("- ", 16_000)), Any),
        ("16 KiB of members", format!("({{}}){}", chain("?.a", 16_000)), Any),
        ("16 KiB of ternaries", format!("{}1", chain("0?1:", 16_000)), Any),
        ("16 KiB of powers", format!("1{}", chain("**1", 16_000)), Any),
        ("16 KiB of commas", format!("1{}", chain(",1", 16_000)), Value),
        ("16 KiB of arrows", format!("{}1", chain("a=>", 16_000)), Sentence),
        ("16 KiB of new", format!("{}Object", chain("new ", 16_000)), Any),
        ("16 KiB of awaits", format!("async()=>{}1", chain("await ", 16_000)), Any),
        ("16 KiB of labels", format!("{};", (0..1_500).map(|n| format!("l{n}:")).collect::<String>()), Any),
        ("too long a source", format!("1{}", chain("+1", 20_000)), Sentence),
        ("a number without end", "9".repeat(16_000), Any),
        ("a name without end", "n".repeat(16_000), Sentence),
        ("an open text", format!("'{}", "x".repeat(10_000)), Sentence),
        ("an open comment", format!("/*{}", "x".repeat(10_000)), Sentence),
        ("an open pattern", format!("/{}", "(".repeat(10_000)), Sentence),
        ("a pattern in the source that nests", format!("/{}/", nested("(", ")", 7_000)), Any),
        ("a NUL", "1 + \0 2".to_owned(), Sentence),
        ("control characters", "'\u{1}\u{7f}\u{feff}\u{202e}'".to_owned(), Value),
        ("a mark of another order", "\u{feff}1".to_owned(), Any),
        ("what closes our parenthesis", "1)}); (function () { return (2".to_owned(), Sentence),
        ("what closes our function", "}); for (;;) {} (function () {".to_owned(), Any),
        ("what ends in a comment", "1 /*".to_owned(), Sentence),
        ("an HTML comment", "1 <!-- 2".to_owned(), Any),
        ("a hashbang", "#!/bin/sh\nid".to_owned(), Sentence),
        ("nothing", String::new(), Sentence),
        ("only a comment", "// nothing".to_owned(), Any),
        (
            "many parameters",
            format!("({}) => 1", (0..2_000).map(|n| format!("a{n}")).collect::<Vec<_>>().join(",")),
            Sentence,
        ),
        (
            "many variables",
            format!("var {}; return 1", (0..2_000).map(|n| format!("a{n}")).collect::<Vec<_>>().join(",")),
            Value,
        ),
        ("many cases", format!("switch (1) {{ {} }} return 1", "case 1:".repeat(2_000)), Any),
        ("escapes in names", "\\u{66}\\u0075nction () {}".to_owned(), Sentence),
    ]
}

fn own((name, source, end): (&'static str, &str, End)) -> Attack {
    (name, source.to_owned(), end)
}
