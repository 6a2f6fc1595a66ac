use crate::Test;
pub(crate) const ALL: &[Test] = &[];
