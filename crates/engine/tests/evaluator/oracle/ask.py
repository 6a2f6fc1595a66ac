"""What Python's Jinja makes of expressions: a file of JSON in, JSON out.

In:  {"now": seconds, "asked": [{"source": text, "native": bool, "scope": {..}}]}
Out: [{"value": ..} or {"error": name of the exception}], one for each.

The filters and functions that the sources add to Jinja are written here in the plainest Python, as the requirements
describe them. An undefined value is what it is in Jinja's usual environment, but nobody may print it or give it away.
"""

import collections.abc
import datetime
import hashlib
import json
import re
import shlex
import sys

from jinja2 import Undefined
from jinja2.exceptions import UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment


def defined(value):
    if isinstance(value, Undefined):
        raise UndefinedError("an undefined value")
    return value


def groups(found):
    return [part or "" for part in found.groups()] if found.re.groups else [found.group(0)]


def regex_search(pattern, text):
    found = re.search(pattern, text)
    return groups(found) if found else []


def regex_findall(pattern, text):
    parts = [groups(found) for found in re.finditer(pattern, text)]
    return [part[0] if len(part) == 1 else part for part in parts]


def regex_replace(pattern, replacement, text):
    return re.sub(pattern, replacement, text)


def parse_json(value):
    return json.loads(value) if isinstance(defined(value), str) else value


def environment(now):
    made = ImmutableSandboxedEnvironment(
        finalize=defined, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"]
    )
    made.globals.update(
        now=lambda: datetime.datetime.fromtimestamp(now, datetime.timezone.utc).replace(tzinfo=None),
        regex_search=regex_search,
        regex_findall=regex_findall,
        regex_replace=regex_replace,
    )
    made.filters.update(
        parse_json=parse_json,
        hash=lambda value: hashlib.sha256(str(defined(value)).encode()).hexdigest(),
        strip=lambda text, letters=None: text.strip(letters),
        split=lambda text, between=None, most=-1: text.split(between, most),
        bool=bool,
        quote=lambda value: shlex.quote(str(value)),
        equalto=lambda left, right: defined(left) == defined(right),
        greaterthan=lambda left, right: defined(left) > defined(right),
        lessthan=lambda left, right: defined(left) < defined(right),
        regex_search=lambda text, pattern: regex_search(pattern, text),
        regex_findall=lambda text, pattern: regex_findall(pattern, text),
        regex_replace=lambda text, pattern, with_: regex_replace(pattern, with_, text),
    )
    return made


def plain(value):
    """A value as JSON has it: lists for everything that can be gone through, text for dates."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        json.dumps(value, allow_nan=False)
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return str(value)
    if isinstance(defined(value), collections.abc.Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, collections.abc.Iterable):
        return [plain(item) for item in value]
    raise TypeError(type(value).__name__)


def answer(made, asked):
    source, scope = asked["source"], asked["scope"]
    try:
        if asked["native"]:
            inside = source.removeprefix("{{").removesuffix("}}").removeprefix("-").removesuffix("-")
            return {"value": plain(made.compile_expression(inside, undefined_to_none=False)(**scope))}
        return {"value": made.from_string(source).render(**scope)}
    except Exception as error:
        return {"error": type(error).__name__}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    made = environment(given["now"])
    json.dump([answer(made, asked) for asked in given["asked"]], sys.stdout)


main()
