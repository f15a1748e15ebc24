//! Outcomes of attempts by the hour.

use std::sync::Arc;

use domain::ports::{OutcomesRequest, Retained};
use domain::webhooks::SubscriptionOutcomes;
use domain::{Hour, HourRange, OwnerId, SubscriptionId};

use super::WebhookStore;
use super::sample::{delete, subscribed};
use crate::by_hour::{self, Counts, CountsByHour, NOON, hours};
use crate::sample::{at, user};

/// Counts of one subscription and hour add up, over calls and within a call, each outcome on its own. Other
/// subscriptions and hours keep their counts.
pub async fn outcomes_add_up(store: Arc<dyn WebhookStore>) {
    by_hour::add_up(Outcomes(store)).await;
}

/// A reading has the hours from the first to the last, both included, and of these only hours with a count.
pub async fn outcomes_are_read_by_the_hour(store: Arc<dyn WebhookStore>) {
    by_hour::are_read_by_the_hour(Outcomes(store)).await;
}

/// The outcomes of all subscriptions of a user are sums without the deleted subscriptions. A subscription of another
/// user has no counts to show, nor has one that is not stored. A subscription without attempts has none.
pub async fn outcomes_are_shown_to_their_owner(store: Arc<dyn WebhookStore>) {
    let (alice, bob) = (user("alice"), user("bob"));
    let lanes = [subscribed(&*store, &alice).await, subscribed(&*store, &alice).await, subscribed(&*store, &bob).await];
    let [one, other, bobs] = lanes.each_ref().map(|lane| lane.id);
    let unknown = Outcomes::not_stored(9);
    let outcomes = async |owner: &OwnerId, subscription| {
        let request = OutcomesRequest { owner: owner.clone(), subscription, hours: hours(NOON, NOON) };
        let read = store.outcomes(&request).await.expect("a reading must succeed");
        read.map(|counts| counts.into_values().map(Counts::from).collect::<Vec<_>>())
    };
    assert_eq!(outcomes(&alice, Some(one)).await, Some(Vec::new()), "one without attempts must be found");
    let counts = [(one, [1, 2, 3]), (other, [10, 20, 30]), (bobs, [100, 200, 300]), (unknown, [1_000, 0, 0])];
    Outcomes(Arc::clone(&store)).add(&counts.map(|(id, counts)| (id, NOON, counts))).await;
    assert_eq!(outcomes(&alice, Some(one)).await, Some(vec![[1, 2, 3]]));
    assert_eq!(outcomes(&alice, None).await, Some(vec![[11, 22, 33]]), "all must be the sum of all");
    assert_eq!(outcomes(&alice, Some(bobs)).await, None, "another user's must not be shown");
    assert_eq!(outcomes(&alice, Some(unknown)).await, None, "what is not stored must not be shown");
    assert_eq!(outcomes(&user("carol"), None).await, Some(Vec::new()), "a user without subscriptions has no counts");
    delete(&*store, &lanes[0], at(10)).await;
    assert_eq!(outcomes(&alice, None).await, Some(vec![[10, 20, 30]]), "deleted subscriptions must not count");
    assert_eq!(outcomes(&alice, Some(one)).await, None, "a deleted subscription must not be found");
}

/// Parallel calls that name the same subscriptions and hours in different orders all succeed, and lose no count.
pub async fn parallel_outcomes_all_add_up(store: Arc<dyn WebhookStore>) {
    by_hour::of_parallel_calls_all_add_up(Outcomes(store)).await;
}

/// Twenty thousand entries are taken in one call.
pub async fn large_batches_of_outcomes_are_taken(store: Arc<dyn WebhookStore>) {
    by_hour::of_large_batches_are_taken(Outcomes(store)).await;
}

/// A purge deletes the hours before the given one, at most `max` rows at a time, and returns their number.
pub async fn old_outcomes_are_deleted(store: Arc<dyn WebhookStore>) {
    by_hour::that_are_old_are_deleted(Outcomes(store)).await;
}

/// A dropped addition adds all of its counts or none. Later ones do not hang.
pub async fn a_cancelled_addition_of_outcomes_is_whole_or_nothing(store: Arc<dyn WebhookStore>) {
    by_hour::are_added_whole_or_not_at_all(Outcomes(store)).await;
}

/// Subscriptions with the outcomes of their attempts.
#[derive(Clone)]
struct Outcomes(Arc<dyn WebhookStore>);

impl CountsByHour for Outcomes {
    type Id = SubscriptionId;

    async fn stored(&self, owner: &OwnerId) -> SubscriptionId {
        subscribed(&*self.0, owner).await.id
    }

    fn not_stored(number: u128) -> SubscriptionId {
        SubscriptionId::from_bytes(number.to_be_bytes())
    }

    async fn add(&self, counts: &[(SubscriptionId, i64, Counts)]) {
        let outcomes = |&(id, hour, counts): &(SubscriptionId, i64, Counts)| SubscriptionOutcomes {
            id,
            hour: Hour::from_number(hour),
            counts: counts.into(),
        };
        let outcomes: Vec<SubscriptionOutcomes> = counts.iter().map(outcomes).collect();
        self.0.add_outcomes(&outcomes).await.expect("adding counts must succeed");
    }

    async fn read(&self, owner: &OwnerId, id: SubscriptionId, hours: HourRange) -> Vec<(i64, Counts)> {
        let request = OutcomesRequest { owner: owner.clone(), subscription: Some(id), hours };
        let counts = self.0.outcomes(&request).await.expect("a reading must succeed");
        let counts = counts.expect("a stored subscription must be found by its owner");
        counts.into_iter().map(|(hour, counts)| (hour.number(), counts.into())).collect()
    }

    async fn purge(&self, before: Hour, max: u32) -> u32 {
        self.0.purge(Retained::Outcomes, before.start(), max).await.expect("a purge must succeed")
    }
}
