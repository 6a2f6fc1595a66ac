//! Text with `{name}` in it, where names are variables of a machine: said in one pass, and where it is one name and something
//! else than text is wanted, read as that.

use super::make::{short, stored_bytes};
use super::{Scope, Stop};
use crate::Data;
use crate::language::{Brace, braces, cut, whole_brace};
use crate::plan::InputKind;
use serde_json::Value;

impl Scope<'_> {
    pub(super) fn braced(&self, text: &str, kind: InputKind) -> Result<Data, Stop> {
        if let Some(data) = whole_brace(text).and_then(|name| self.state_data(name)) {
            return match kind {
                InputKind::String | InputKind::Any => Ok(data.clone()),
                kind => Ok(Data::Inline(as_kind(text, self.value_of(data)?, kind)?)),
            };
        }
        let max = self.plan.limits.text_bytes_max;
        let mut said = String::new();
        for piece in braces(text) {
            match piece {
                Brace::Text(plain) => said.push_str(plain),
                Brace::Name(written, name) => match self.state_data(name) {
                    None => said.push_str(written),
                    Some(data) => {
                        short(said.len() as u64 + stored_bytes(data), max)?;
                        said.push_str(self.value_of(data)?.as_str().unwrap_or_default());
                    }
                },
            }
            short(said.len() as u64, max)?;
        }
        Ok(Data::Inline(said.into()))
    }
}

/// A variable as what is wanted of it.
fn as_kind(written: &str, value: &Value, kind: InputKind) -> Result<Value, String> {
    let said = value.as_str().unwrap_or_default().trim();
    let read: Option<Value> = serde_json::from_str(said).ok();
    // A whole number may be written with a fraction of nothing.
    let whole = |value: Value| match value.as_f64() {
        Some(number) if kind == InputKind::Integer && number.fract() == 0.0 && number.abs() < 1e15 => {
            Value::from(number as i64)
        }
        _ => value,
    };
    read.map(whole).filter(|value| kind.accepts(value)).ok_or_else(|| {
        format!("`{written}` must be of type {} here, and the variable says {}", kind.as_str(), cut(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn variables_are_read_as_what_is_wanted() {
        for (said, kind, wanted) in [
            ("30", InputKind::Integer, json!(30)),
            (" 30.0 ", InputKind::Integer, json!(30)),
            ("0.5", InputKind::Number, json!(0.5)),
            ("true", InputKind::Boolean, json!(true)),
            ("{\"a\":1}", InputKind::Object, json!({"a": 1})),
        ] {
            assert_eq!(as_kind("{n}", &json!(said), kind), Ok(wanted), "{said}");
        }
        assert_eq!(
            as_kind("{n}", &json!("many"), InputKind::Integer),
            Err("`{n}` must be of type integer here, and the variable says \"many\"".to_owned())
        );
        assert!(as_kind("{n}", &json!("1.5"), InputKind::Integer).is_err());
        assert!(as_kind("{n}", &json!("yes"), InputKind::Boolean).is_err());
    }
}
