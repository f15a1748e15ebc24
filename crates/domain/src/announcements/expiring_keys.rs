use std::time::Duration;

use super::announce::Announcements;
use crate::audit::{AuditEvent, Cause};
use crate::ports::{ListExpiringRequest, StoreError};
use crate::{ApiKey, KeyId, Timestamp};

const DAY: Duration = Duration::from_hours(24);
/// How long before a key expires its notices are due. At most a day passes between a notice and the end of its round,
/// so no notice is repeated after the audit log has deleted it, which is a day later at least.
const NOTICES: [Duration; 2] = [Duration::from_hours(7 * 24), DAY];
/// How far a round looks back behind the start of the previous one: for keys with a creation that was committed late.
const LOOK_BACK: Duration = Duration::from_hours(1);
/// How many keys are read and noted together.
const KEYS_AT_ONCE_MAX: u32 = 500;

impl Announcements {
    /// Records, and so announces, that keys expire in seven days and in one day. A key gets each notice that is due
    /// after its creation once, at most a day late, however many instances call this. Keys that are replaced get none.
    ///
    /// `last` is the result of the previous round; `None` for the first round of an instance.
    ///
    /// # Errors
    ///
    /// If the store fails. Another call continues with the rest.
    pub async fn note_expiring_keys(&self, last: Option<Timestamp>) -> Result<Timestamp, StoreError> {
        let now = self.webhooks.clock.now();
        let since = last.map_or(Timestamp::MIN, |last| last.minus(LOOK_BACK)).max(now.minus(DAY));
        for notice in NOTICES {
            let after = (since.plus(notice), KeyId::from_bytes([0xFF; 16]));
            let mut request = ListExpiringRequest { after, until: now.plus(notice), max: KEYS_AT_ONCE_MAX };
            loop {
                let keys = self.keys.list_expiring(&request).await?;
                let events: Vec<AuditEvent> = keys.iter().filter_map(|key| note(key, notice)).collect();
                self.audit.record_new(&events).await?;
                match keys.last().and_then(|last| Some((last.expires_at?, last.id))) {
                    Some(last) if keys.len() == KEYS_AT_ONCE_MAX as usize => request.after = last,
                    _ => break,
                }
            }
        }
        Ok(now)
    }
}

/// The notice that the key expires after `notice`; `None` for a key that was created later.
fn note(key: &ApiKey, notice: Duration) -> Option<AuditEvent> {
    let due_at = key.expires_at?.minus(notice);
    (key.created_at < due_at).then(|| Cause::of_notice(due_at, key.id).key_expiring(key))
}
