//! The parts of the OpenAPI document that endpoints add.

pub(crate) mod calls_for_owners;
pub(crate) mod error_examples;
pub(crate) mod events;
pub(crate) mod known_names;
pub(crate) mod operation_names;
pub(crate) mod parameters;
pub(crate) mod request_bodies;
pub(crate) mod responses;
pub(crate) mod rights;
pub(crate) mod values;
