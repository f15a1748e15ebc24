//! The few HTML pages that are not the console's.

pub(crate) mod page;
