//! Furnishes an engine: `surroundings.js`, given what only we know.

use super::functions::{path_to_key, uuid};
use super::scope::{NOW, SEED, Scope};
use rquickjs::{Array, Ctx, Error, Exception, Function, Object, Value};
use std::rc::Rc;

/// Classes by which a value is told apart.
pub(super) struct Classes<'js> {
    /// What plain objects come from.
    pub(super) plain: Object<'js>,
    /// Classes whose objects have no JSON form, though they seem to.
    pub(super) opaque: Vec<Object<'js>>,
    /// Classes of objects around one value, and what takes it out.
    pub(super) boxed: Vec<(Object<'js>, Function<'js>)>,
}

/// The function that furnishes an engine.
pub(super) const SURROUNDINGS: &str = include_str!("surroundings.js");

/// Prepares an engine for a source.
pub(super) fn furnish<'js>(
    ctx: &Ctx<'js>,
    furnishing: &Function<'js>,
    source: &str,
    scope: &Scope<'_>,
) -> Result<Classes<'js>, Error> {
    let moment: Option<f64> = scope.whole(NOW).and_then(|json| serde_json::from_str(json).ok());
    let moment = match moment {
        Some(moment) => Value::new_number(ctx.clone(), moment),
        None => Value::new_undefined(ctx.clone()),
    };
    let to_key = Function::new(ctx.clone(), |path: String| path_to_key(&path))?;
    let functions: Vec<String> = super::functions::FUNCTIONS
        .into_iter()
        .filter(|name| scope.is_function(name, source))
        .map(str::to_owned)
        .collect();
    let is_function = Function::new(ctx.clone(), move |name: String| functions.contains(&name))?;
    let told: Array<'js> = furnishing.call((moment, to_key, made_up(ctx, source, scope)?, is_function))?;
    let boxed: Vec<Array<'js>> = told.get(2)?;
    let boxed = boxed.into_iter().map(|pair| Ok((pair.get(0)?, pair.get(1)?)));
    Ok(Classes { plain: told.get(0)?, opaque: told.get(1)?, boxed: boxed.collect::<Result<_, Error>>()? })
}

/// What makes ids up.
fn made_up<'js>(ctx: &Ctx<'js>, source: &str, scope: &Scope<'_>) -> Result<Function<'js>, Error> {
    let (seed, source) = (scope.whole(SEED).map(str::to_owned), source.to_owned());
    let count = Rc::clone(&scope.made_up);
    Function::new(ctx.clone(), move |ctx: Ctx<'_>| {
        let words = "there is no `uuid()` here, because nothing was recorded to make it from";
        let seed = seed.as_deref().ok_or_else(|| Exception::throw_type(&ctx, words))?;
        count.set(count.get() + 1);
        Ok::<_, Error>(uuid(seed, &source, count.get()))
    })
}
