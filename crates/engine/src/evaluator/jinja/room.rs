//! Room for what an expression makes on its way: a width is looked at before anything is made of it.

use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use minijinja::{Error, ErrorKind};

/// Refuses a text that would be longer than a value may be.
pub(super) fn room(name: &str, bytes: usize) -> Result<(), Error> {
    match bytes > OUTPUT_BYTES_MAX {
        true => {
            let words =
                format!("`{name}` would make more than {OUTPUT_BYTES_MAX} bytes: make the width smaller");
            Err(Error::new(ErrorKind::InvalidOperation, words))
        }
        false => Ok(()),
    }
}
