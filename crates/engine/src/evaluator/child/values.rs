//! The large values this process was sent, ready to be read by expressions. They cannot be changed by one.

use kernel::Digest;
use minijinja::Value;
use std::collections::HashMap;

/// Values by the digest of their JSON form.
#[derive(Debug, Default)]
pub(super) struct Values(HashMap<Digest, Value>);

impl Values {
    /// Forgets what the parent does not count on any more.
    pub(super) fn forget(&mut self, digests: &[Digest]) {
        digests.iter().for_each(|digest| drop(self.0.remove(digest)));
    }

    /// Takes the bodies of a request.
    pub(super) fn take(&mut self, list: &[(Digest, usize)], mut bodies: &[u8]) -> Result<(), String> {
        for (digest, bytes) in list {
            let (body, rest) = bodies.split_at_checked(*bytes).ok_or("a body longer than its request")?;
            let value = serde_json::from_slice(body).map_err(|error| format!("a bad body: {error}"))?;
            self.0.insert(*digest, value);
            bodies = rest;
        }
        Ok(())
    }

    /// A value.
    pub(super) fn get(&self, digest: &Digest) -> Result<Value, String> {
        self.0.get(digest).cloned().ok_or_else(|| format!("nobody sent {digest}"))
    }
}
