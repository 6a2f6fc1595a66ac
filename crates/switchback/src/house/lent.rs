//! What a client lends to the house: values of its environment that its settings name as secrets. They travel in the hello
//! and live in memory; this type can be written nowhere else.

use super::Client;
use crate::settings::Settings;
use engine::secrets::Secret;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// Secrets by name.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Lent(BTreeMap<String, Secret>);

impl Lent {
    /// What this process can lend as a client, and what is wrong with what it cannot.
    pub(crate) fn here(client: &Client) -> (Lent, Vec<String>) {
        let (mut lent, mut doubts) = (BTreeMap::new(), Vec::new());
        for name in Settings::read(client).lends {
            let Some(value) = std::env::var_os(&name).filter(|value| !value.is_empty()) else { continue };
            let secret = match value.to_str() {
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
}
