//! The engine as we set it up: what is defined, what undefined means, how far an expression may go.

use super::function::{name_all, printable};
use super::numbers::{fraction, printed};
use super::python::method;
use super::{filters, format, groups, html, json, loops, numbers, order, patterns, text, undefined};
use crate::evaluator::limits::FUEL;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, escape_formatter};
use std::sync::OnceLock;

/// The environment of all expressions. It holds no templates, and nothing can be loaded into it.
pub(super) fn base() -> &'static Environment<'static> {
    static BASE: OnceLock<Environment<'static>> = OnceLock::new();
    BASE.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_unknown_method_callback(method);
        environment.set_fuel(Some(FUEL));
        // Errors say what is undefined and where.
        environment.set_debug(true);
        // It would show the engine's own insides.
        environment.remove_global("debug");
        minijinja_contrib::add_to_environment(&mut environment);
        environment.set_formatter(|out, state, value| match fraction(value) {
            Some(number) => Ok(out.write_str(&printed(number))?),
            None => {
                printable(value)?;
                let is_html = state.auto_escape() == &AutoEscape::Html;
                match is_html && !value.is_safe() && !value.is_undefined() {
                    true => Ok(out.write_str(&html::escaped(value))?),
                    false => escape_formatter(out, state, value),
                }
            }
        });
        undefined::add(&mut environment);
        filters::add(&mut environment);
        format::add(&mut environment);
        groups::add(&mut environment);
        html::add(&mut environment);
        json::add(&mut environment);
        loops::add(&mut environment);
        numbers::add(&mut environment);
        order::add(&mut environment);
        patterns::add(&mut environment);
        text::add(&mut environment);
        name_all(&mut environment);
        environment
    })
}
