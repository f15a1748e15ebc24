//! JSON Schema 2020-12 for the payloads of events, behind the port [`domain::ports::PayloadSchemas`]. See decision 134.
//!
//! - `schema_limits` says which schemas the catalogue takes: references within the document only, and bounded work for
//!   every payload.
//! - `compiled_schema` validates, by linear regular expressions only.
//! - `breaking_changes` compares two schemas.

mod breaking_changes;
mod compiled_schema;
mod schema_limits;

pub use compiled_schema::JsonSchemas;
