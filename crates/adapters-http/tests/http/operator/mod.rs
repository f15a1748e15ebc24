mod introspection;
mod leaks;
mod publishing;
mod support;
pub(crate) mod system;
mod user_data;
