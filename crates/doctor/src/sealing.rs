use domain::SealingKeys;
use domain::ports::SubscriptionStore;

use crate::finding::Finding;

/// How many subscriptions are checked: all were sealed under the same keys.
const SUBSCRIPTIONS_MAX: u32 = 100;

/// Checks that the configured encryption keys open the signing secrets of the database. Changes nothing. A store that does
/// not answer is the finding of another check.
pub async fn check_sealing_keys(subscriptions: &dyn SubscriptionStore, keys: &SealingKeys) -> Option<Finding> {
    let stored = subscriptions.list_secrets(None, SUBSCRIPTIONS_MAX).await.ok()?;
    let closed = stored.iter().filter(|(id, secrets)| keys.unseal(&secrets.current, *id).is_err()).count();
    (closed > 0).then(|| Finding {
        check: "encryption key",
        what: format!("ENCRYPTION_KEY does not open {closed} of {} signing secrets of the database", stored.len()),
        why: "`gatepost serve` ends at its start, or cannot sign webhooks",
        cure:
            "set ENCRYPTION_KEY to the key of the other instances; `gatepost config` shows where the value comes from. \
               If the key is lost, see \"Rotating ENCRYPTION_KEY\" in docs/operations.md"
                .to_owned(),
    })
}
