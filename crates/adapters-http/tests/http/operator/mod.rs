pub(crate) mod audit_exports;
mod introspection;
mod leaks;
mod log_filter;
mod publishing;
mod support;
mod survey;
pub(crate) mod system;
mod user_data;
