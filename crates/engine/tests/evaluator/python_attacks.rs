//! Attacks on what we made after Python's model: widths, forms of dates, texts to fill, JSON, the state that knows its names.

use crate::attacks::End::{Any, Sentence, Unanswered, Value};
use crate::attacks::{Attack, chain, expression};

pub(crate) fn list() -> Vec<Attack> {
    let nested = |levels: u32| {
        format!(
            "{{% set n = namespace(l=[]) %}}{{% for i in range({levels}) %}}{{% set n.l = [n.l] %}}{{% endfor %}}"
        )
    };
    let macros = |body: &str| format!("{{% macro m(x) %}}{body}{{% endmacro %}}{{{{ m(1) }}}}");
    vec![
        ("ljust a thousand million", expression("'x'.ljust(1000000000)"), Sentence),
        ("rjust past all numbers", expression("'x'.rjust(9223372036854775807)"), Sentence),
        ("center past all numbers", expression("'x'.center(9223372036854775807, 'é')"), Sentence),
        ("zfill a thousand million", expression("'1'.zfill(10**9)"), Sentence),
        ("zfill of less than nothing", expression("'1'.zfill(-9223372036854775807)"), Value),
        ("tabs a thousand million wide", expression("('\\t' * 10).expandtabs(1000000000)"), Sentence),
        ("tabs past all numbers", expression("'a\\tb\\t'.expandtabs(9223372036854775807)"), Sentence),
        ("an indent a thousand million wide", expression("'a\\nb' | indent(1000000000)"), Sentence),
        ("an indent of much before much", expression("('a\\n' * 100000) | indent('x' * 1000)"), Sentence),
        ("a width of `%`", expression("'%1000000000d' % 1"), Sentence),
        ("a width past all numbers", expression("'%99999999999999999999999d' % 1"), Sentence),
        ("a precision of `%`", expression("'%.1000000000f' % 1.5"), Sentence),
        ("a width that is given", expression("'%*d' % (1000000000, 1)"), Any),
        ("a width of the filter", expression("'%1000000000s' | format('x')"), Sentence),
        ("a width of the method", expression("'{:>1000000000}'.format(1)"), Sentence),
        ("a width in a width", expression("'{:{w}}'.format(1, w=1000000000)"), Any),
        ("a place past all numbers", expression("'{99999999999999999999}'.format(1)"), Sentence),
        ("many places to fill", expression("('%9999s' * 2000) % 1"), Any),
        ("parts of parts of a place", expression(&format!("'{{0{}}}'.format(1)", chain(".a", 15_000))), Any),
        ("16 KiB of `%`", expression(&format!("'%s'{}", chain("%'%s'", 16_000))), Any),
        ("16 KiB of `%` in brackets", expression(&format!("{}1", chain("'%s'%(", 16_000))), Sentence),
        ("16 KiB of `%` without a value", expression(&format!("''{}", chain("%", 16_000))), Sentence),
        ("16 KiB of `<`", expression(&format!("1{}", chain("<1", 16_000))), Any),
        ("16 KiB of comparisons", expression(&format!("1{}", chain(" and 1<2", 16_000))), Any),
        ("16 KiB of comparisons in brackets", expression(&format!("{}1", chain("1<(", 16_000))), Sentence),
        ("brackets that only close", expression(&chain(")<", 16_000)), Sentence),
        ("a form of dates of a million letters", expression("now().strftime('%Y' * 500000)"), Sentence),
        ("a form that grows", expression("now().strftime('%c' * 50000)"), Sentence),
        ("a form of `%` alone", expression("now().strftime('%' * 1000000) | length"), Value),
        (
            "a form with an unknown part at its end",
            expression("now().strftime('x' * 1000000 ~ '%Q')"),
            Sentence,
        ),
        ("a date before all dates", expression("now().replace(year=-9223372036854775807)"), Sentence),
        ("a date in a date", expression(&format!("now(){}", chain(".date()", 15_000))), Sentence),
        ("a replaced date 1,500 times", expression(&format!("now(){}", chain(".replace()", 15_000))), Any),
        ("JSON a thousand million wide", expression("[[1]] | tojson(indent=1000000000)"), Sentence),
        ("JSON past all numbers", expression("[[1]] | tojson(indent=18446744073709551615)"), Sentence),
        ("deep JSON", nested(50_000) + "{{ n.l | tojson }}", Sentence),
        ("deep printing", nested(50_000) + "{{ n.l }}", Any),
        ("JSON of JSON of JSON", expression(&format!("'\"'{}", chain("|tojson", 16_000))), Any),
        ("a number of 10,000 digits", expression("('9' * 10000) | int"), Sentence),
        ("a number of a million digits", expression("('9' * 1000000) | float | string"), Any),
        ("a number with a million lines between", expression("('1_' * 500000 ~ '1') | int"), Any),
        ("a title of a million letters", expression("('ß' * 500000).title() | length"), Value),
        ("casefold of a million letters", expression("('ß' * 500000).casefold() | length"), Value),
        ("a million splits from the end", expression("('a ' * 500000).rsplit() | length"), Value),
        ("a million parts", expression("('a,' * 500000).rsplit(',', 1) | length"), Value),
        ("places far away", expression("'abc'.find('c', -9223372036854775807, 9223372036854775807)"), Value),
        ("a million tests of digits", expression("('٣' * 100000).isdecimal()"), Value),
        ("a macro that calls itself", macros("{{ m(x) }}"), Sentence),
        ("a macro that calls itself in a filter", macros("{{ [x] | map('string') | join(m(x)) }}"), Sentence),
        ("a state that was never sent", expression("state['a' * 1000000]"), Sentence),
        (
            "names of the state, made in a loop",
            "{% for i in range(50000) %}{{ state[i ~ ''] is defined }}{% endfor %}".into(),
            Sentence,
        ),
        ("a state in a state", expression("dict(state, s=state).s.s"), Sentence),
        ("replacing nothing by much", expression("('a' * 100000) | replace('', 'b' * 1000) | length"), Any),
        ("escaping a million letters", expression("('<' * 1000000) | escape | length"), Value),
        ("memory in a method", expression("('a' * 1000000).replace('a', 'b' * 1000) | length"), Unanswered),
    ]
}
