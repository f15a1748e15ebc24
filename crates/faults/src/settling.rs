//! After a load: waits for the accepted events, and compares the stored state with the answers.

use std::time::Duration;

use anyhow::Context;
use gatepost_client::{ApiKey, FullKey};
use tokio::time::{Instant, sleep};

use crate::ledger::{Key, Ledger, Outcome, Revocation};
use crate::load::{Clients, REVOKED_WITHIN, is_good};

/// How long accepted events may take to arrive. An event that an instance was sending when it died is sent again after
/// a minute.
const ARRIVED_WITHIN: Duration = Duration::from_mins(4);

/// Waits for the accepted events, checks every key with an answered creation, and counts.
pub(crate) async fn settle(clients: &Clients, ledger: &Ledger) -> anyhow::Result<Outcome> {
    sleep(REVOKED_WITHIN).await;
    let start = Instant::now();
    while ledger.missing() > 0 && start.elapsed() < ARRIVED_WITHIN {
        sleep(Duration::from_millis(100)).await;
    }
    for (index, user) in clients.users.iter().enumerate() {
        let stored = user.clients[0].list_api_keys().await?;
        for key in ledger.keys().iter().filter(|key| key.user == index) {
            check(clients, ledger, key, stored.iter().find(|stored| stored.id == key.id)).await?;
        }
    }
    Ok(ledger.outcome())
}

/// Checks the stored key against the answers, and the instances against the stored key. The list leaves out keys that
/// were revoked long ago.
async fn check(clients: &Clients, ledger: &Ledger, key: &Key, stored: Option<&ApiKey>) -> anyhow::Result<()> {
    let is_revoked = stored.map(|stored| stored.revoked_at.is_some());
    let is_lost = match key.revocation {
        Revocation::NotAsked => is_revoked != Some(false),
        Revocation::Unknown => false,
        Revocation::Answered(_) => is_revoked == Some(false),
    };
    let must_be_refused = key.revocation.is_answered() || is_revoked == Some(true);
    let is_wrongly_good = must_be_refused && !is_refused_everywhere(clients, &key.secret).await?;
    ledger.count(|counts| {
        counts.keys_lost += u64::from(is_lost);
        counts.revoked_good += u64::from(is_wrongly_good);
    });
    Ok(())
}

async fn is_refused_everywhere(clients: &Clients, key: &FullKey) -> anyhow::Result<bool> {
    for anyone in &clients.anyone {
        if is_good(anyone, key).await.context("an instance does not answer after the faults")? {
            return Ok(false);
        }
    }
    Ok(true)
}
