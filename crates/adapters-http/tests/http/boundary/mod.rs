mod cross_origin;
mod framework_errors;
mod limits;
pub(crate) mod logs;
mod shutdown;
mod traces;
