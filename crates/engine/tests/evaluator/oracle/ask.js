// Evaluates what is asked with the language's own rules, each in a context of its own, and tells values or errors as JSON.
const vm = require("node:vm");
const { readFileSync } = require("node:fs");

const { now, asked } = JSON.parse(readFileSync(process.argv[2], "utf8"));

const prelude = `(function () {
    const Real = Date;
    globalThis.Date = class Date extends Real {
        constructor(...parts) { parts.length === 0 ? super(${now}) : super(...parts) }
        static now() { return ${now} }
    };
    globalThis.text = (value) => value === undefined || value === null ? ""
        : typeof value === "object" ? JSON.stringify(value) : String(value);
})()`;

function compiled(source, context) {
    const inside = source.trimEnd().replace(/;+$/, "");
    for (const text of [`(function () { return (\n${inside}\n) })`, `(function () {\n${source}\n})`]) {
        try {
            return vm.runInContext(text, context);
        } catch (error) {
            if (error?.name !== "SyntaxError") throw error;
        }
    }
    throw new SyntaxError(source);
}

function told({ source, scope }) {
    const context = vm.createContext({});
    vm.runInContext(prelude, context);
    try {
        for (const [name, value] of Object.entries(scope)) {
            vm.runInContext(`globalThis[${JSON.stringify(name)}] = JSON.parse(${JSON.stringify(JSON.stringify(value))})`, context);
        }
        const value = vm.runInContext("JSON.stringify", context)(compiled(source, context)());
        return { value: value === undefined ? null : JSON.parse(value) };
    } catch (error) {
        return { error: String(error?.name ?? error) };
    }
}

process.stdout.write(JSON.stringify(asked.map(told)));
