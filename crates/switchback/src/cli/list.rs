//! `switchback list`: the workflows that can be run by name, where each came from, and what it hides.

use super::arguments::ListArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::look::{Look, clean, print, print_json, talk};
use super::settled;
use super::store::{surroundings, workspace};
use super::table::table;
use engine::library::{Definition, Library, Origin, PlaceKind};
use serde_json::{Value, json};

/// Carries the command out.
pub(crate) fn list(arguments: &ListArguments) -> Result<Exit, CommandError> {
    settled::tell()?;
    let library = Library::scan(&surroundings(workspace()?));
    let listed: Vec<&Definition> =
        library.definitions().filter(|definition| definition.hidden_by.is_none()).collect();
    if arguments.json {
        let workflows: Vec<Value> = listed.iter().map(|one| document(one)).collect();
        print_json(&json!({ "workflows": workflows, "troubles": library.troubles }))?;
        return Ok(Exit::Succeeded);
    }
    let rows: Vec<Vec<String>> = listed.iter().map(|one| row(one)).collect();
    print(&table(Look::of_stdout(), &["WORKFLOW", "GROUP", "FROM", "WHAT IT IS FOR"], &rows))?;
    let broken = listed.iter().filter(|one| one.reading.plan.is_none()).count();
    if broken > 0 {
        talk("what is wrong with the broken ones: switchback check");
    }
    library.troubles.iter().for_each(|trouble| talk(&clean(trouble)));
    if listed.iter().all(|one| one.origin.kind == PlaceKind::BuiltIn) {
        let places = library.places.iter().filter(|place| place.folder.is_some());
        let places = places.map(|place| place.shown.as_str()).collect::<Vec<_>>().join(", ");
        talk(&format!("no workflows of your own were found in {places}"));
    }
    Ok(Exit::Succeeded)
}

fn row(definition: &Definition) -> Vec<String> {
    let Origin { kind, place, group, shown, .. } = &definition.origin;
    // Of what is built in, name and group say all.
    let from = if *kind == PlaceKind::BuiltIn { place } else { shown };
    let from = match definition.hides.is_empty() {
        true => from.clone(),
        false => format!("{from} (hides {})", hidden(&definition.hides)),
    };
    let what = match (&definition.reading.plan, definition.reading.first_error()) {
        (Some(plan), _) => plan.description.clone(),
        (None, Some(error)) => format!("broken: {} [{}]", error.message, error.code),
        (None, None) => "broken".to_owned(),
    };
    vec![definition.name.clone(), group.clone().unwrap_or_default(), from, what]
}

/// What is hidden, as short as it can be said: of what is built in there is one of each name.
fn hidden(files: &[String]) -> String {
    let built_in = PlaceKind::BuiltIn.as_str();
    let is_built_in = |file: &str| file.strip_prefix(built_in).is_some_and(|rest| rest.starts_with(':'));
    let short = |file: &String| if is_built_in(file) { built_in.to_owned() } else { file.clone() };
    files.iter().map(short).collect::<Vec<_>>().join(", ")
}

fn document(definition: &Definition) -> Value {
    let plan = definition.reading.plan.as_ref();
    let error = definition.reading.first_error();
    let inputs = plan.map(|plan| {
        let inputs = plan.inputs.iter().map(|input| {
            json!({
                "name": input.name,
                "type": input.kind.as_str(),
                "required": input.required && input.default.is_none(),
                "default": input.default,
                "description": input.description,
            })
        });
        inputs.collect::<Vec<_>>()
    });
    json!({
        "name": definition.name,
        "description": plan.map(|plan| plan.description.as_str()),
        "dialect": plan.map(|plan| plan.dialect.as_str()),
        "file": definition.origin.shown,
        "from": definition.origin.kind.as_str(),
        "group": definition.origin.group,
        "hides": definition.hides,
        "inputs": inputs,
        "error": error.map(|error| json!({ "code": error.code, "message": error.message })),
    })
}
