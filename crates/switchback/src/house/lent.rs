//! What a client lends to the house: values of its environment that its settings name as secrets. They travel in the hello
//! and live in memory; this type can be written nowhere else.

use super::Client;
use crate::settings::Settings;
use engine::secrets::Secret;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

/// The bytes that a client may lend; they travel in one line with all else that it says of itself.
const BYTES_MAX: usize = 64 * 1024;

/// Secrets by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Lent(BTreeMap<String, Secret>);

impl Lent {
    /// What this process can lend as a client, and what is wrong with what it cannot.
    pub(crate) fn here(client: &Client) -> (Lent, Vec<String>) {
        let set = |name: String| Some((std::env::var_os(&name).filter(|value| !value.is_empty())?, name));
        Lent::of(Settings::read(client).lends.into_iter().filter_map(set))
    }

    fn of(variables: impl Iterator<Item = (OsString, String)>) -> (Lent, Vec<String>) {
        let (mut lent, mut doubts, mut bytes) = (BTreeMap::new(), Vec::new(), 0);
        for (value, name) in variables {
            bytes += value.len();
            let secret = match value.to_str() {
                Some(_) if bytes > BYTES_MAX => {
                    Err(format!("is one too many: {BYTES_MAX} bytes can be lent"))
                }
                Some(text) => Secret::new(text).map_err(|unfit| unfit.to_string()),
                None => Err("is not UTF-8 text".to_owned()),
            };
            match secret {
                Ok(secret) => drop(lent.insert(name, secret)),
                Err(why) => doubts.push(format!("the variable {name} is named as a secret and {why}")),
            }
        }
        (Lent(lent), doubts)
    }

    /// The secrets, for whoever keeps them.
    pub(crate) fn into_secrets(self) -> BTreeMap<String, Secret> {
        self.0
    }

    /// Whether nothing is lent.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Names only.
impl fmt::Debug for Lent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.0.keys()).finish()
    }
}

/// The form in a hello.
pub(crate) fn send<S: Serializer>(lent: &Lent, out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(lent.0.iter().map(|(name, secret)| (name, secret.expose())))
}

/// Reads what [`send`] has written.
pub(crate) fn receive<'d, D: Deserializer<'d>>(from: D) -> Result<Lent, D::Error> {
    let texts = BTreeMap::<String, String>::deserialize(from)?;
    let secrets = texts.into_iter().map(|(name, text)| match Secret::new(&text) {
        Ok(secret) => Ok((name, secret)),
        // Never the text.
        Err(unfit) => Err(D::Error::custom(format!("the secret {name} {unfit}"))),
    });
    Ok(Lent(secrets.collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_are_shown() {
        let lent = Lent([("TOKEN".to_owned(), Secret::new("s3cr3t").unwrap())].into());
        assert_eq!(format!("{lent:?}"), "{\"TOKEN\"}");
    }

    #[test]
    fn what_is_lent_has_an_edge() {
        let part = engine::secrets::BYTES_MAX;
        let many = |count: usize| {
            Lent::of((0..count).map(|number| (OsString::from("x".repeat(part)), format!("S{number}"))))
        };
        let (lent, doubts) = many(BYTES_MAX / part);
        assert_eq!((lent.0.len(), doubts.len()), (BYTES_MAX / part, 0));
        let (lent, doubts) = many(BYTES_MAX / part + 1);
        assert_eq!((lent.0.len(), doubts.len()), (BYTES_MAX / part, 1));
        let (lent, doubts) = Lent::of([(OsString::from("abc"), "SHORT".to_owned())].into_iter());
        assert!(lent.is_empty() && doubts[0].contains("SHORT") && !doubts[0].contains("abc"), "{doubts:?}");
    }
}
