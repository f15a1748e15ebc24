use std::time::Duration;

use domain::Erasures;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often owners to erase are looked for.
const INTERVAL: Duration = Duration::from_secs(5);
/// How often the log repeats that erasing fails.
const LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Erases owners, until `stop` is cancelled. After each step it waits for the time that the step took, so that it uses one
/// connection for half of the time at most.
pub async fn erase_steadily(erasures: Erasures, stop: CancellationToken) {
    let steadily = async {
        let mut reported_at: Option<Instant> = None;
        loop {
            let begun = Instant::now();
            let rest = match erasures.step().await {
                Ok(0) => INTERVAL,
                Ok(_) => begun.elapsed(),
                Err(error) => {
                    if reported_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
                        reported_at = Some(Instant::now());
                        let error: &dyn std::error::Error = &error;
                        tracing::warn!(error, "cannot erase owners, retrying");
                    }
                    INTERVAL
                }
            };
            tokio::time::sleep(rest).await;
        }
    };
    stop.run_until_cancelled(steadily).await;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use domain::audit::Origin;
    use domain::memory::{
        ManualClock, MemoryAuditLog, MemoryOwnerStore, MemoryOwners, MemorySessionStore, SeededEntropy, unique_cause,
    };
    use domain::ports::{AuditLog as _, OwnerStore as _, SessionStores, SetOwnerStateRequest};
    use domain::sessions::{PortalLinks, Sessions, VISIT_MIN, Visit};
    use domain::{OwnerId, OwnerRecord, OwnerStateChange, SealingKeys, Timestamp};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_owner_is_erased_soon_and_another_one_stays() {
        let (log, now) = (MemoryAuditLog::default(), Timestamp::from_unix_millis(1_795_225_323_120).unwrap());
        let store = Arc::new(MemoryOwnerStore::of(MemoryOwners::default()).writing_to(log.clone()));
        let (clock, entropy) = (Arc::new(ManualClock::new(now)), Arc::new(SeededEntropy::new(1)));
        let sessions = SessionStores::of(&Arc::<MemorySessionStore>::default());
        let sessions = Sessions::new(sessions, Arc::new(()), clock.clone(), entropy.clone());
        let links = PortalLinks::new(sessions.clone(), Arc::new(SealingKeys::new(vec![[1; 32].into()]).unwrap()));
        let erasures = Erasures { store: store.clone(), sessions, keys_of_members: None, clock, entropy };
        let stop = CancellationToken::new();
        let running = tokio::spawn(erase_steadily(erasures, stop.clone()));
        let owner = |subject| OwnerId::new("https://id.example", subject).unwrap();
        for (subject, state) in
            [("alice", OwnerStateChange::Erase), ("bob", OwnerStateChange::Suspend { reason: None })]
        {
            let request = SetOwnerStateRequest { owner: owner(subject), state, at: now, cause: unique_cause() };
            store.set_state(&request).await.unwrap();
        }
        let link = async |subject| {
            let visit =
                Visit { user: owner(subject), capabilities: BTreeSet::new(), lifetime: VISIT_MIN, return_url: None };
            links.create(&visit, &Origin::SERVICE).await.unwrap().code
        };
        let begin = async |code: &str| links.begin_visit(code, None, (None, None), None).await.is_ok();
        let (of_alice, of_bob) = (link("alice").await, link("bob").await);
        log.mark_announced(&log.list_unannounced(10).await.unwrap()).await.unwrap();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(store.find(&owner("alice")).await.unwrap(), OwnerRecord::default());
        assert!(store.find(&owner("bob")).await.unwrap().suspension.is_some());
        assert!(!begin(&of_alice).await, "a link of before the erasure opens nothing of the next alice");
        assert!(begin(&of_bob).await);
        stop.cancel();
        running.await.unwrap();
    }
}
