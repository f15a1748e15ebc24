//! A killed process, an unreachable database, a second process, a log that nobody reads, a shutdown.

mod database_outage;
mod graceful_end;
mod killed_process;
mod second_process;
mod silent_reader;
