//! A backup, a killed process, an unreachable database, a pooler, a second process, a log that nobody reads, a shutdown.

mod backups;
mod database_outage;
mod graceful_end;
mod killed_process;
pub(crate) mod pgbouncer;
mod second_process;
mod silent_reader;
mod stop_under_load;
