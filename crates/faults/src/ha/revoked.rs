//! Asks every instance for revoked keys, once the time that an instance may need to refuse them is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::ledger::Ledger;
use crate::load::{Clients, REVOKED_WITHIN, is_good};

const PAUSE: Duration = Duration::from_millis(50);
/// The newest revoked keys, which take turns.
const KEYS: usize = 40;

/// The answers of the instances.
#[derive(Default)]
pub(super) struct Answers {
    refused: AtomicU64,
    /// The instance did not know the state of the key, and said so.
    unknown: AtomicU64,
}

impl Answers {
    /// How often a key was refused, and how often an instance did not know.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.refused.load(Ordering::Relaxed), self.unknown.load(Ordering::Relaxed))
    }
}

/// Asks one instance all the time. A good answer is counted in the ledger.
pub(super) async fn ask(answers: Arc<Answers>, clients: Arc<Clients>, ledger: Arc<Ledger>, instance: usize) {
    for round in 0_usize.. {
        let Some(latest) = Instant::now().checked_sub(REVOKED_WITHIN) else { return };
        let keys = ledger.revoked_before(latest, KEYS);
        if let Some(key) = keys.get(round % keys.len().max(1)) {
            match is_good(&clients.anyone[instance], key).await {
                Some(true) => ledger.count(|counts| counts.revoked_good += 1),
                Some(false) => drop(answers.refused.fetch_add(1, Ordering::Relaxed)),
                None => drop(answers.unknown.fetch_add(1, Ordering::Relaxed)),
            }
        }
        sleep(PAUSE).await;
    }
}
