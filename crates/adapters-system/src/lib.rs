//! What the operating system gives: the [`Clock`](domain::ports::Clock) and [`Entropy`](domain::ports::Entropy) ports,
//! the signals that stop a process, and log lines on standard error.

mod json_lines;
mod log_lines;
mod ports;
mod shutdown;

pub use json_lines::JsonLines;
pub use log_lines::{Line, LineMaker, LogLines};
pub use ports::{NameEntropy, SystemClock, SystemEntropy};
pub use shutdown::stop_on_signal;
