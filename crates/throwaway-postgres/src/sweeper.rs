use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::coordinator;
use crate::server::Server;

/// The names of databases begin so. The id of the process that made the database follows.
pub(crate) const DATABASES: &str = "test_";

/// A run of tests makes some thirty databases in this time, of 8 MB each.
const INTERVAL: Duration = Duration::from_secs(2);

/// Drops the databases of processes that have ended, until it is dropped. Test runners start a process for each test,
/// and no test drops its database: its tasks may still use it.
#[derive(Debug)]
pub struct Sweeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    pub(crate) fn over(cluster: Arc<Server>) -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                // A server that is stopped keeps its databases until the next turn.
                let _ = sweep(&cluster);
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn sweep(cluster: &Server) -> anyhow::Result<()> {
    let names = cluster.psql("postgres", &["SELECT datname FROM pg_database"])?;
    let mut ended = names.lines().filter(|name| process_of(name).is_some_and(has_ended));
    if cluster.is_coordinator {
        return ended.try_for_each(|name| coordinator::drop_database(cluster, name));
    }
    let drops: Vec<String> = ended.map(|name| format!("DROP DATABASE {name} WITH (FORCE)")).collect();
    if !drops.is_empty() {
        let drops: Vec<&str> = drops.iter().map(String::as_str).collect();
        cluster.psql("postgres", &drops)?;
    }
    Ok(())
}

/// The process that has made the database.
fn process_of(name: &str) -> Option<&str> {
    name.strip_prefix(DATABASES)?.split('_').next()
}

/// `false` on systems that do not show their processes as files.
fn has_ended(process: &str) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process).exists()
}
