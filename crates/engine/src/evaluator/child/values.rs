//! The large values this process was sent, ready to be read by expressions. They cannot be changed by one.

use kernel::Digest;
use minijinja::Value;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Values by the digest of their JSON form.
#[derive(Debug, Default)]
pub(super) struct Values(HashMap<Digest, Held>);

/// A value as it came, and as Jinja reads it once it has.
#[derive(Debug)]
struct Held {
    json: String,
    jinja: OnceCell<Value>,
}

impl Values {
    /// Forgets what the parent does not count on any more.
    pub(super) fn forget(&mut self, digests: &[Digest]) {
        digests.iter().for_each(|digest| drop(self.0.remove(digest)));
    }

    /// Takes the bodies of a request.
    pub(super) fn take(&mut self, list: &[(Digest, usize)], mut bodies: &[u8]) -> Result<(), String> {
        for (digest, bytes) in list {
            let (body, rest) = bodies.split_at_checked(*bytes).ok_or("a body longer than its request")?;
            let json = String::from_utf8(body.to_vec()).map_err(|error| format!("a bad body: {error}"))?;
            self.0.insert(*digest, Held { json, jinja: OnceCell::new() });
            bodies = rest;
        }
        Ok(())
    }

    /// A value as JSON.
    pub(super) fn json(&self, digest: &Digest) -> Result<&str, String> {
        self.held(digest).map(|held| held.json.as_str())
    }

    /// A value as Jinja reads it.
    pub(super) fn jinja(&self, digest: &Digest) -> Result<Value, String> {
        let held = self.held(digest)?;
        if let Some(value) = held.jinja.get() {
            return Ok(value.clone());
        }
        let value: Value =
            serde_json::from_str(&held.json).map_err(|error| format!("a bad body: {error}"))?;
        Ok(held.jinja.get_or_init(|| value).clone())
    }

    fn held(&self, digest: &Digest) -> Result<&Held, String> {
        self.0.get(digest).ok_or_else(|| format!("nobody sent {digest}"))
    }
}
