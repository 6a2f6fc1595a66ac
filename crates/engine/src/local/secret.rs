//! Secrets in the server's hands: given to a command just before it starts, masked in whatever comes back.

use super::hands::Hands;
use crate::adapters::process::Job;
use crate::secrets::{Keeper, Masker};
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Data, Failure, FailureKind, Fields};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

impl Hands {
    /// Where secrets are found.
    pub(super) fn secrets(&self) -> &Arc<Keeper> {
        &self.secrets
    }

    /// Gives a command its secrets, and its output the mask.
    pub(super) async fn give(&self, folder: &Path, perform: &Perform, job: &mut Job) -> Result<(), Failure> {
        if !perform.secrets.is_empty() {
            let names = perform.secrets.values().cloned().collect();
            let found = self.secrets.find_all(folder, names).await;
            let found = found.map_err(|missing| Failure::new(FailureKind::Crashed, missing.to_string()))?;
            let given =
                perform.secrets.iter().filter_map(|(variable, name)| Some((variable, found.get(name)?)));
            job.secrets = given.map(|(variable, secret)| (variable.clone(), secret.clone())).collect();
        }
        job.mask = self.secrets.masker();
        Ok(())
    }
}

/// A report without secrets.
pub(super) fn masked(report: Report, masker: &Masker) -> Report {
    if masker.is_empty() {
        return report;
    }
    match report {
        Report::Done { outputs } => Report::Done { outputs: fields(outputs, masker) },
        Report::Failed { failure, outputs } => {
            let failure = Failure { message: masker.text(&failure.message), ..failure };
            Report::Failed { failure, outputs: fields(outputs, masker) }
        }
    }
}

fn fields(fields: Fields, masker: &Masker) -> Fields {
    let data = |name: &str, data: Data| match data {
        // What a block counts itself stays a number; what it has read is masked as the text it was.
        Data::Inline(count @ Value::Number(_)) if name != STATE => Data::Inline(count),
        Data::Inline(inline) => Data::Inline(value(inline, masker)),
        stored => stored,
    };
    fields.into_iter().map(|(name, field)| (name.clone(), data(&name, field))).collect()
}

/// The output that holds what is in a file of state.
const STATE: &str = "state";

fn value(value: Value, masker: &Masker) -> Value {
    match value {
        Value::String(text) => masker.text(&text).into(),
        Value::Number(number) => {
            let text = number.to_string();
            let masked = masker.text(&text);
            if masked == text { number.into() } else { masked.into() }
        }
        Value::Array(items) => items.into_iter().map(|item| self::value(item, masker)).collect(),
        Value::Object(members) => {
            let mut all = Map::with_capacity(members.len());
            for (name, member) in members {
                all.insert(free(masker.text(&name), &all), self::value(member, masker));
            }
            all.into()
        }
        plain => plain,
    }
}

/// A name that no other has: two that are masked may look the same.
fn free(name: String, taken: &Map<String, Value>) -> String {
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !taken.contains_key(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Secret;
    use serde_json::json;

    #[test]
    fn a_report_is_masked_wherever_text_is() {
        let secret = Secret::new("s3cr3t-value").unwrap();
        let masker = Masker::new([("KEY", &secret)]);
        let shown = json!({"list": ["a s3cr3t-value", 1, null], "of s3cr3t-value": {"deep": "s3cr3t-value"}});
        let outputs = Fields::from([("content".to_owned(), Data::Inline(shown))]);
        let failure = Failure::new(FailureKind::Crashed, "no file s3cr3t-value");
        let Report::Failed { failure, outputs } = masked(Report::Failed { failure, outputs }, &masker) else {
            panic!("another report");
        };
        assert_eq!(failure.message, "no file [secret KEY]");
        let wanted =
            json!({"list": ["a [secret KEY]", 1, null], "of [secret KEY]": {"deep": "[secret KEY]"}});
        assert_eq!(outputs["content"], Data::Inline(wanted));
    }

    #[test]
    fn numbers_that_were_read_are_masked_too() {
        let secret = Secret::new("8675309042").unwrap();
        let masker = Masker::new([("PIN", &secret)]);
        let shown = |name: &str, value: Value| {
            let outputs = Fields::from([(name.to_owned(), Data::Inline(value))]);
            let Report::Done { mut outputs } = masked(Report::Done { outputs }, &masker) else {
                panic!("another report");
            };
            outputs.remove(name).unwrap()
        };
        let read =
            json!({"n": 8_675_309_042_u64, "deep": [-8_675_309_042_i64, 8_675_309_042.5], "other": 12});
        let wanted = json!({"n": "[secret PIN]", "deep": ["-[secret PIN]", "[secret PIN].5"], "other": 12});
        assert_eq!(shown("state", read), Data::Inline(wanted));
        assert_eq!(shown("state", json!(8_675_309_042_u64)), Data::Inline(json!("[secret PIN]")));
        assert_eq!(shown("size", json!(8_675_309_042_u64)), Data::Inline(json!(8_675_309_042_u64)));
    }

    #[test]
    fn names_that_are_masked_stay_apart() {
        let secret = Secret::new("S3cr3t-value").unwrap();
        let masker = Masker::new([("KEY", &secret)]);
        let shown = value(json!({"S3cr3t-value": 1, "s3cr3t-value": 2, "[secret KEY] (2)": 3}), &masker);
        assert_eq!(shown.as_object().unwrap().len(), 3);
        assert_eq!((&shown["[secret KEY]"], &shown["[secret KEY] (2)"]), (&json!(1), &json!(2)));
    }
}
