//! The port of keys.

mod key_store;
