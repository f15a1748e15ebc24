//! The services of the operating system: the [`Clock`](domain::ports::Clock) and [`Entropy`](domain::ports::Entropy)
//! ports, the signals that stop a process, the service manager that waits for it, files with secrets and types for
//! them, and log lines on standard error.

mod audit_copy;
mod clocks;
mod entropy;
mod json_lines;
mod log_filter;
mod log_lines;
mod log_switch;
mod logs;
mod secret_folder;
mod secrets;
mod service_manager;
mod short_requests;
mod shutdown;

pub use audit_copy::{AuditCopy, AuditDestination};
pub use clocks::{DatabaseClock, FollowedFeed, SteadyClock, SystemClock};
pub use entropy::{NameEntropy, SystemEntropy};
pub use log_filter::{LogFilter, LogFormat};
pub use log_lines::LogLines;
pub use log_switch::LogSwitch;
pub use logs::{LogSettings, start_logs};
pub use secret_folder::SecretFolder;
pub use secrets::{EncryptionKey, MASK, Secret};
pub use service_manager::ServiceManager;
pub use shutdown::{Hangups, stop_on_signal};
