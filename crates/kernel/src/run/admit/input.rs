//! What a start gives: every input known, of its type, and there if it must be.

use crate::plan::Input;
use crate::run::Run;
use crate::{Data, Fields, Refusal};
use serde_json::Value;

impl Run {
    /// All inputs, with what holds where nothing is given.
    pub(super) fn complete(&self, mut given: Fields) -> Result<Fields, Refusal> {
        let known = || self.plan.inputs.iter().map(|input| input.name.clone()).collect::<Vec<_>>();
        if let Some(name) =
            given.keys().find(|name| !self.plan.inputs.iter().any(|input| input.name == **name))
        {
            return Err(Refusal::UnknownInput { name: name.clone(), known: known() });
        }
        let missing: Vec<String> = self
            .plan
            .inputs
            .iter()
            .filter(|input| input.required && input.default.is_none() && !given.contains_key(&input.name))
            .map(|input| input.name.clone())
            .collect();
        if !missing.is_empty() {
            return Err(Refusal::MissingInputs(missing));
        }
        self.small(&given)?;
        for input in &self.plan.inputs {
            let default = || Data::Inline(input.default.clone().unwrap_or(Value::Null));
            let data = given.entry(input.name.clone()).or_insert_with(default);
            fits(input, data)?;
        }
        self.fits_in("inputs", &given)?;
        Ok(given)
    }
}

fn fits(input: &Input, data: &Data) -> Result<(), Refusal> {
    let good = match data {
        Data::Inline(Value::Null) => !input.required || input.kind.accepts(&Value::Null),
        Data::Inline(value) => input.kind.accepts(value),
        // Stored text is text; stored JSON was too large to be anything but a list or object.
        Data::Stored(_) => true,
    };
    if good {
        return Ok(());
    }
    let got = data.inline().map_or_else(String::new, |value| {
        let (kind, value) = (crate::language::kind(value), crate::language::cut(value));
        if value == "null" { kind.to_owned() } else { format!("{kind} ({value})") }
    });
    Err(Refusal::WrongInput { name: input.name.clone(), expected: input.kind.as_str().into(), got })
}
