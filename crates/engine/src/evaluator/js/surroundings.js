// What an expression finds around it: functions of its own, the recorded time instead of a clock, and no way to chance or to
// code that is made from text. Called once in every engine, before anything else; gives the classes that have no JSON form.
(function (moment, pathToKey, madeUp, isFunction) {
    "use strict";
    const { apply, construct } = Reflect, { defineProperty, getPrototypeOf } = Object, { stringify } = JSON;
    const Real = Date, { toISOString } = Real.prototype;
    const put = (object, name, value) =>
        defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
    const refusing = (name, why) => {
        const refuse = function () { throw new TypeError("there is no `" + name + "` here, because " + why) };
        return put(refuse, "name", name);
    };

    put(Math, "random", refusing("Math.random", "its value would be another one each time: use `uuid()`"));
    put(globalThis, "eval", refusing("eval", "text is no code: write the code itself"));
    for (const made of [function () {}, function* () {}, async function () {}, async function* () {}]) {
        const prototype = getPrototypeOf(made);
        const refuse = refusing("Function", "text is no code: write the code itself");
        refuse.prototype = prototype;
        put(prototype, "constructor", refuse);
    }
    put(globalThis, "Function", (function () {}).constructor);
    delete globalThis.queueMicrotask;

    const time = () => {
        if (moment === undefined) throw new TypeError("there is no time here, because none was recorded for it");
        return moment;
    };
    const Recorded = function (...parts) {
        if (new.target === undefined) return new Real(time()).toString();
        return construct(Real, parts.length === 0 ? [time()] : parts, new.target);
    };
    put(Recorded, "name", "Date");
    put(Recorded, "length", 7);
    Recorded.prototype = Real.prototype;
    defineProperty(Recorded, "prototype", { writable: false });
    put(Recorded, "now", () => time());
    put(Recorded, "parse", Real.parse);
    put(Recorded, "UTC", Real.UTC);
    put(Real.prototype, "constructor", Recorded);
    put(globalThis, "Date", Recorded);

    const opaque = [Map, Set, WeakMap, WeakSet, Promise, RegExp, Error];
    const kind = (value) => opaque.find((one) => value instanceof one)?.name;
    const functions = {
        in_path(key) {
            if (typeof key !== "string" && typeof key !== "number") {
                throw new TypeError("a key in a path must be text or a number, and this is " + (key === null ? "null" : typeof key));
            }
            const name = "" + key;
            return /^[^.[\]'"\\\s]+$/.test(name) ? "." + name : "['" + name.replace(/[\\']/g, "\\$&") + "']";
        },
        now() {
            const date = new Real(time());
            return put(date, "toString", () => apply(toISOString, date, []));
        },
        path_to_key(path) {
            if (typeof path === "string" || typeof path === "number") return pathToKey("" + path);
            throw new TypeError("`path_to_key` takes a path, and was given " + (path === null ? "null" : typeof path));
        },
        text(value) {
            if (value === undefined || value === null) return "";
            if (typeof value === "function" || typeof value === "symbol") {
                throw new TypeError("a " + typeof value + " is no text");
            }
            if (typeof value !== "object") return String(value);
            if (value instanceof Real) return apply(toISOString, value, []);
            const name = kind(value);
            if (name !== undefined) throw new TypeError("a " + name + " is no text");
            return stringify(value, (_, part) => (part === undefined ? null : part));
        },
        uuid() { return madeUp() },
    };
    for (const name in functions) {
        if (isFunction(name)) put(globalThis, name, functions[name]);
    }
    return [Object.prototype, opaque, [String, Number, Boolean].map((one) => [one, one.prototype.valueOf])];
})
