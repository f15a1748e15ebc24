//! The promises of [`domain::ports::OwnerStore`], for a store that implements it beside the other ports, which obey the
//! records.
//!
//! Add them as tests with [`owner_store_tests`](crate::owner_store_tests), which takes a future that creates
//! [`OwnedStores`].

pub mod erasure;
pub mod limits;
pub mod listing;
pub mod rates;
pub mod records;
mod sample;
mod suite;
pub mod suspension;

pub use suite::{OwnedStores, OwnerPorts, PROMISES};
