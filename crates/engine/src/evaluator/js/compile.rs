//! A source becomes a function: as an expression in parentheses if it is one, else as the body of the function. The source begins
//! on a line of its own, so that places are easily counted back, and ends before one, so that it may end in a comment.

use super::mistake::{Thrown, Trouble};
use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Error, Function};

/// The name of the source in what the engine says.
pub(super) const NAME: &str = "expression";

/// What a source turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Expression,
    Body,
}

/// The function of a source.
pub(super) fn compiled<'js>(ctx: &Ctx<'js>, source: &str) -> Result<(Function<'js>, Form), Trouble> {
    if source.trim().is_empty() {
        return Err("the expression is empty: write one".to_owned().into());
    }
    // A semicolon at the end makes no statement of what gives a value.
    let inside = source.trim_end().trim_end_matches(';');
    let as_expression = match compile(ctx, &format!("(function () {{ return (\n{inside}\n) }})")) {
        // What closes our parenthesis cannot close a bracket too.
        Ok(function) => match compile(ctx, &format!("(function () {{ return [\n{inside}\n] }})")) {
            Ok(_) => return Ok((function, Form::Expression)),
            Err(thrown) => thrown,
        },
        Err(thrown) => thrown,
    };
    match compile(ctx, &format!("(function () {{\n{source}\n}})")) {
        Ok(function) => Ok((function, Form::Body)),
        // Where more of it could be read, it was probably meant so.
        Err(as_body) if as_body.place > as_expression.place => Err(Trouble::Thrown(as_body)),
        Err(_) => Err(Trouble::Thrown(as_expression)),
    }
}

fn compile<'js>(ctx: &Ctx<'js>, text: &str) -> Result<Function<'js>, Thrown> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(NAME.to_owned());
    ctx.eval_with_options(text, options).map_err(|error| match error {
        Error::InvalidString(_) => Thrown::of("SyntaxError: a NUL character in the source: leave it out"),
        error => Thrown::caught(ctx, &error),
    })
}
