//! Exports of the audit log, which end when the credential does.

use std::sync::Arc;

use adapters_http::OperatorTokens;
use async_trait::async_trait;
use domain::audit::{AuditEvent, AuditFilter};
use domain::memory::{MemoryAuditLog, unique_cause};
use domain::ports::{AuditLog, AuditPage, AuditWatcher, StoreError};
use domain::sessions::SessionRole;
use domain::{AuditId, KeyId};
use tokio::sync::Semaphore;

use crate::doubles::user;
use crate::server::{Setup, read_to_end, read_until};
use crate::sessions::browser::{SAME_ORIGIN, session_of};
use crate::transcript::{OPERATOR, request};

/// An audit log that reads a page for each permit.
pub(crate) struct PacedLog {
    pub(crate) log: MemoryAuditLog,
    pub(crate) reads: Arc<Semaphore>,
}

#[async_trait]
impl AuditLog for PacedLog {
    fn watch(&self, watcher: Arc<dyn AuditWatcher>) {
        self.log.watch(watcher);
    }

    async fn record_new(&self, events: &[AuditEvent]) -> Result<u32, StoreError> {
        self.log.record_new(events).await
    }

    async fn list_unannounced(&self, max: u32) -> Result<Vec<AuditEvent>, StoreError> {
        self.log.list_unannounced(max).await
    }

    async fn mark_announced(&self, events: &[AuditEvent]) -> Result<(), StoreError> {
        self.log.mark_announced(events).await
    }

    async fn list(&self, filter: &AuditFilter, before: Option<AuditId>, max: u32) -> Result<AuditPage, StoreError> {
        self.reads.acquire().await.expect("never closed").forget();
        self.log.list(filter, before, max).await
    }
}

/// The events of a log, in pages of 200.
const EVENTS: u8 = 250;
const EVENTS_OF_KEYS: usize = 4 * EVENTS as usize;
const SHOWN: &str = "key.revoked";

#[tokio::test(flavor = "multi_thread")]
async fn an_export_ends_early_when_its_credential_does() {
    for (is_operator, has_session, ends) in
        [(true, false, true), (true, true, true), (false, true, true), (true, false, false)]
    {
        let case = format!("operator {is_operator}, session {has_session}, ends {ends}");
        let reads = Arc::new(Semaphore::new(2));
        let setup = Setup { audit_reads: Some(Arc::clone(&reads)), operators_sign_in: true, ..Setup::default() };
        for shard in 0..4 {
            let keys = (0..EVENTS).map(|number| (user("alice"), KeyId::from_bytes([number + shard; 16])));
            setup.audit_log.record_new(&unique_cause().keys_revoked(keys)).await.unwrap();
        }
        let server = setup.start();
        let (path, role) = if is_operator {
            ("/api/operator/audit", SessionRole::Operator)
        } else {
            ("/api/audit", SessionRole::User)
        };
        let cookie = session_of(&server, "alice", role).await;
        let export = request(&format!("GET {path}?format=jsonl"));
        let credential = if has_session { ("cookie", &*cookie) } else { OPERATOR };
        let export = export.header(SAME_ORIGIN).header(credential);
        let mut connection = server.begin(&export.to_http()).await;
        let mut shown = String::new();
        while shown.matches(SHOWN).count() < 399 {
            shown += &read_until(&mut connection, "\n").await;
        }
        match (ends, has_session) {
            (true, true) => {
                let end = request("DELETE /api/session").header(SAME_ORIGIN).header(("cookie", &cookie));
                assert_eq!(end.send(&server).await.status, 204);
            }
            (true, false) => assert!(server.operator_tokens.replace(&OperatorTokens::default())),
            (false, _) => {}
        }
        reads.add_permits(100);
        shown += &read_to_end(&mut connection).await;
        let is_whole = shown.ends_with("\r\n0\r\n\r\n");
        let count = shown.matches(SHOWN).count();
        // The third page was already allowed.
        assert_eq!((is_whole, count <= 600, count == EVENTS_OF_KEYS), (!ends, ends, !ends), "{case}: {count}");
    }
}
