//! What happens when something is taken away: the process, the database, the operator's patience.

mod database_outage;
mod graceful_end;
mod killed_process;
mod second_process;
