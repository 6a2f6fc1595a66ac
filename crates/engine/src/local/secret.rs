//! Secrets in the server's hands: given to a command just before it starts, masked in whatever comes back.

use super::hands::Hands;
use crate::adapters::process::Job;
use crate::secrets::{Keeper, Masker};
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Data, Failure, FailureKind, Fields};
use serde_json::Value;
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
    let data = |data: Data| match data {
        Data::Inline(inline) => Data::Inline(value(inline, masker)),
        stored => stored,
    };
    fields.into_iter().map(|(name, field)| (name, data(field))).collect()
}

fn value(value: Value, masker: &Masker) -> Value {
    match value {
        Value::String(text) => masker.text(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| self::value(item, masker)).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            members.map(|(name, member)| (masker.text(&name), self::value(member, masker))).collect()
        }
        plain => plain,
    }
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
}
