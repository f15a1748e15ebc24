mod connections;
mod cross_origin;
mod framework_errors;
mod limits;
pub(crate) mod logs;
mod pipelining;
mod shutdown;
