//! A small store for readers of `docs/writing-an-adapter.md`: copy this crate, and replace its parts by your database.
//! Gatepost itself does not use it.

mod call;
mod codec;
mod journal;
mod keys;
mod store;

pub use store::{JournalStore, open_store};
