//! Calls to make at once.

use std::sync::Arc;

use domain::OwnerId;

use super::WebhookStore;
use super::sample::{event_at, publish};
use super::work::{Held, claim};
use crate::racing::{Call, all_at_once};
use crate::sample::at;

/// A call with the store.
pub(super) fn calling<Answer, Made: Future<Output = Answer> + Send + 'static>(
    store: &Arc<dyn WebhookStore>,
    call: impl FnOnce(Arc<dyn WebhookStore>) -> Made,
) -> Call<Answer> {
    Box::pin(call(Arc::clone(store)))
}

/// Claims this many milliseconds after the start.
pub(super) fn claiming(store: &Arc<dyn WebhookStore>, millis: i64) -> Call<Vec<Held>> {
    calling(store, move |store| async move { claim(&*store, millis).await })
}

/// Publishes this number of events one by one, and counts the deliveries that were accepted.
pub(super) fn publishing(store: &Arc<dyn WebhookStore>, owner: &OwnerId, count: u32, millis: i64) -> Call<u32> {
    let owner = owner.clone();
    calling(store, move |store| async move {
        let mut accepted = 0;
        for _ in 0..count {
            accepted += publish(&*store, &[event_at(&owner, at(millis))]).await[0].deliveries;
        }
        accepted
    })
}

/// Makes two calls at once. The call that is created first alternates, because the second has a tiny lead.
pub(super) async fn race<Answer: Send + 'static>(round: i64, one: Call<Answer>, other: Call<Answer>) -> Vec<Answer> {
    all_at_once(if round % 2 == 0 { vec![one, other] } else { vec![other, one] }).await
}
