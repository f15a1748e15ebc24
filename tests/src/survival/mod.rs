//! A backup, a killed process, an unreachable database, clients that hang up, a pooler, a second process, an unread
//! log, a shutdown.

mod backups;
mod database_outage;
mod graceful_end;
mod hung_up_clients;
mod killed_process;
pub(crate) mod pgbouncer;
mod second_process;
mod silent_reader;
mod stop_under_load;
