//! Deleting old events with their deliveries.

use std::sync::Arc;
use std::time::Duration;

use domain::ports::{AttemptCursor, ListAttemptsRequest, Publication, Retained, StoreError, SubscriptionInsertion};
use domain::webhooks::{DeliveryState, NewEvent};
use domain::{DeliveryId, OwnerId, Timestamp};

use super::WebhookStore;
use super::calls::{calling, publishing};
use super::sample::{
    NO_MAX, delete, deliveries, event, event_at, health, history, insert, insertion_of, named, publish, reread, secret,
    subscribed, subscriber, switched, try_history, try_publish, update,
};
use super::work::{LEASE_MILLIS, claim, complete_all, drain, end_closed, settle};
use crate::racing::all_at_once;
use crate::sample::{at, user};

const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;
const DECADE: i64 = 3_650 * DAY_MILLIS;
/// A time on an earlier day.
const EARLIER: i64 = -3 * DAY_MILLIS;
/// More calls than a purge in small steps should need.
const CALLS_MAX: usize = 1_000;
/// More tries than a call should need during preparations: 30 s. All took 15 s on a store over 16 shards of Citus.
const TRIES_MAX: usize = 60;
/// A store over several shards refuses calls of a shard that answered late, until it has tried that shard again.
const TRY_INTERVAL: Duration = Duration::from_millis(500);

/// Everything that any owner published on a day that had ended at the boundary is deleted: ended deliveries, attempts,
/// events, and the ids of publishers, which are free again. All later data stays.
pub async fn what_was_published_earlier_is_forgotten(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let published = |millis: i64| named(event_at(&owner, at(millis)), &format!("order-{millis}"), "a");
    let yesterday = -1 - at(0).unix_millis() % DAY_MILLIS;
    let times = [EARLIER, yesterday - 1, yesterday, 100, 101];
    let events: Vec<NewEvent> = times.into_iter().map(published).collect();
    publish(&*store, &events).await;
    let unheard = named(event_at(&user("bob"), at(yesterday)), "unheard", "a");
    publish(&*store, std::slice::from_ref(&unheard)).await;
    assert_eq!(drain(&*store, 200).await.len(), 5, "all that was published is due");
    let before = deliveries(&*store, &owner).await;
    assert!(purge(&*store, 100, 1_000).await > 0, "there is something to forget");
    assert_eq!(deliveries(&*store, &owner).await, before[..2], "what was published in time must stay as it is");
    for new in &events {
        let id = DeliveryId::of(new.event.id, lane.id);
        let is_kept = new.event.created_at >= at(100);
        let found = try_history(&*store, &owner, id).await;
        assert_eq!(found.map(|found| found.attempts.len()), is_kept.then_some(1), "{:?}", new.event.created_at);
        let again = named(event_at(&owner, at(300)), new.publication.as_ref().expect("it is named").id.as_str(), "a");
        let accepted = publish(&*store, &[again]).await;
        assert_eq!(accepted[0].is_duplicate, is_kept, "a publisher's id is known as long as its event is");
    }
    let again = named(event_at(&user("bob"), at(300)), "unheard", "another");
    let answer = try_publish(&*store, &[again]).await;
    assert!(matches!(answer, Publication::Accepted(_)), "also of an event to nobody");
    assert_eq!(attempts(&*store, &owner).await, 2, "attempts must be forgotten with their deliveries");
}

/// Deliveries of any age stay until they have ended, with their attempts and events. All others are deleted.
pub async fn what_has_not_ended_stays(store: Arc<dyn WebhookStore>) {
    let (owner, lane) = subscriber(&*store, "alice").await;
    let events: Vec<_> = (0..4).map(|n| named(event_at(&owner, at(n)), &format!("order-{n}"), "a")).collect();
    publish(&*store, &events).await;
    let unheard = named(event_at(&user("bob"), at(0)), "unheard", "a");
    publish(&*store, std::slice::from_ref(&unheard)).await;
    let held = claim(&*store, 10).await;
    settle(&*store, held[0].delivered(20)).await;
    settle(&*store, held[1].failed(20, 500)).await;
    settle(&*store, held[2].given_back(20, 500)).await;
    purge(&*store, 2 * DAY_MILLIS, 1_000).await;
    let left: Vec<_> = deliveries(&*store, &owner).await.iter().map(|one| one.id).collect();
    let expected: Vec<_> = held[1..].iter().rev().map(|one| one.delivery.id).collect();
    assert_eq!(left, expected, "only deliveries that wait or are being sent may stay");
    assert_eq!(attempts(&*store, &owner).await, 1, "the attempts of the other delivery must go");
    let again = publish(&*store, &events[1..].iter().map(republished).collect::<Vec<_>>()).await;
    assert!(again.iter().all(|one| one.is_duplicate), "the ids of their publishers must stay");
    assert!(!publish(&*store, &[republished(&unheard)]).await[0].is_duplicate, "an event without deliveries must go");
    assert_eq!(history(&*store, &owner, held[1].delivery.id).await.attempts.len(), 1, "with its attempts");
    assert_eq!(health(&*store, &lane).await.waiting, 3, "it must be counted as before");
    let again = drain(&*store, 2 * LEASE_MILLIS).await;
    assert_eq!(again.len(), 3, "it must be delivered as before");
    assert!(again.iter().all(|one| events.iter().any(|new| new.event.payload == one.delivery.payload)), "with payload");
    purge(&*store, 2 * DAY_MILLIS, 1_000).await;
    assert_eq!(deliveries(&*store, &owner).await, [], "what has ended must go");
}

/// A purge in small steps ends, and each step deletes about its maximum, also beside deliveries that wait.
pub async fn a_purge_in_small_steps_comes_to_its_end(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    subscribed(&*store, &owner).await;
    let events: Vec<_> = (0..20).map(|n| named(event(&owner), &format!("order-{n}"), "a")).collect();
    publish(&*store, &events).await;
    drain(&*store, 10).await;
    let purged = store.purge(Retained::Webhooks, at(2 * DAY_MILLIS), 4).await.expect("a purge must succeed");
    assert!(purged <= 20, "a step of about 4 rows must leave most of 40 deliveries, deleted {purged}");
    purge(&*store, 2 * DAY_MILLIS, 4).await;
    assert_eq!(deliveries(&*store, &owner).await, [], "in the end all must be forgotten");
    let accepted = publish(&*store, &events.iter().map(republished).collect::<Vec<_>>()).await;
    assert!(accepted.iter().all(|one| !one.is_duplicate), "and the ids of their publishers, too");
    drain(&*store, 20).await;
    let last = event(&owner);
    publish(&*store, std::slice::from_ref(&last)).await;
    let purged = store.purge(Retained::Webhooks, at(2 * DAY_MILLIS), 4).await.expect("a purge must succeed");
    assert!((1..=20).contains(&purged), "a step beside two waiting deliveries deleted {purged}");
    purge(&*store, 2 * DAY_MILLIS, 4).await;
    let left: Vec<_> = deliveries(&*store, &owner).await.iter().map(|one| one.event_id).collect();
    assert_eq!(left, [last.event.id; 2], "only the two waiting deliveries may stay");
    let again = publish(&*store, &events.iter().map(republished).collect::<Vec<_>>()).await;
    assert!(again.iter().all(|one| !one.is_duplicate), "and the ids of the other publishers must go");
}

/// A deleted subscription is purged with its last delivery, if it was deleted before the boundary. A subscription that is
/// not deleted stays, even if it is disabled and has no delivery.
pub async fn deleted_subscriptions_go_with_their_last_delivery(store: Arc<dyn WebhookStore>) {
    let owner = user("alice");
    let [used, unused, kept, disabled] = [
        subscribed(&*store, &owner).await,
        subscribed(&*store, &owner).await,
        subscribed(&*store, &owner).await,
        subscribed(&*store, &owner).await,
    ];
    let disabled = update(&*store, &disabled, &switched(false), at(1)).await;
    delete(&*store, &unused, at(2)).await;
    purge(&*store, 2, 1_000).await;
    let answer = store.insert_within(&insertion_of(&unused, &secret(), NO_MAX)).await;
    assert!(matches!(answer, Err(StoreError::Duplicate { .. })), "it was deleted at the boundary, got {answer:?}");
    publish(&*store, &[event_at(&owner, at(50))]).await;
    let held = claim(&*store, 60).await;
    complete_all(&*store, &held, |one| one.delivered(60)).await;
    delete(&*store, &used, at(70)).await;
    end_closed(&*store, 70).await;
    purge(&*store, 50, 1_000).await;
    let left = deliveries(&*store, &owner).await.len();
    assert_eq!(left, 3, "two deliveries and what one missed must stay until they are forgotten");
    purge(&*store, 2 * DAY_MILLIS, 1_000).await;
    assert_eq!(reread(&*store, &kept).await, kept, "what is not deleted must stay");
    assert_eq!(reread(&*store, &disabled).await, disabled, "also while it is disabled");
    for gone in [&used, &unused] {
        let answer = insert(&*store, gone, &secret(), NO_MAX).await;
        assert_eq!(answer, SubscriptionInsertion::Stored, "the id of what was forgotten must be free");
    }
}

/// A purge in parallel with publications and deliveries deletes no new data.
pub async fn purging_beside_publications_loses_nothing(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    for round in 0..8 {
        publish(&*store, &[event_at(&owner, at(EARLIER)), event_at(&owner, at(EARLIER))]).await;
        drain(&*store, round * 100).await;
        let publications = (0..3).map(|_| publishing(&store, &owner, 1, 0));
        let purging = calling(&store, |store| async move {
            purge(&*store, 0, 3).await;
            0_u32
        });
        all_at_once(publications.chain([purging]).collect()).await;
        let held = drain(&*store, round * 100 + 50).await;
        assert_eq!(held.len(), 3, "what is published beside a purge must be delivered");
    }
    purge(&*store, 0, 100).await;
    let states: Vec<_> = deliveries(&*store, &owner).await.into_iter().map(|one| one.state).collect();
    let over = states.iter().filter(|state| matches!(state, DeliveryState::Ended { .. })).count();
    assert_eq!((states.len(), over), (24, 24), "what is new must stay in the log, and nothing else");
}

/// Preparing for the next days does not change the data: at any time, several times, and during publications. Events of
/// any time are accepted and delivered, prepared for or not.
pub async fn preparing_history_changes_nothing(store: Arc<dyn WebhookStore>) {
    let (owner, _) = subscriber(&*store, "alice").await;
    publish(&*store, &[event_at(&owner, at(-1))]).await;
    assert_eq!(drain(&*store, 0).await.len(), 1);
    let before = deliveries(&*store, &owner).await;
    let times = [0, 0, DAY_MILLIS, -DECADE, 5 * DECADE, 5 * DAY_MILLIS];
    let preparations = [1, 2, 3].into_iter().cycle().zip(times).map(|(days, millis)| {
        calling(&store, move |store| async move {
            let prepared = in_the_end(|| store.prepare_history(at(millis), days)).await;
            prepared.expect("a preparation must succeed");
            0_usize
        })
    });
    let publications = [0, -DECADE, DAY_MILLIS, -4 * DECADE].map(|millis| {
        let new = event_at(&owner, at(millis));
        calling(&store, |store| async move { publish_in_the_end(&*store, &new).await })
    });
    let published: usize = all_at_once(preparations.chain(publications).collect()).await.into_iter().sum();
    assert_eq!(published, 4, "events of any time must be accepted");
    let left = deliveries(&*store, &owner).await;
    assert!(left.len() == 5 && left.contains(&before[0]), "nothing may be lost, nor change: {left:?}");
    assert_eq!(drain(&*store, DAY_MILLIS).await.len(), 4, "events of any time must be delivered");
}

/// Repeats the call while the store is unavailable: six concurrent preparations may take longer than the deadline of a call.
async fn in_the_end<Answer, Made>(call: impl Fn() -> Made) -> Result<Answer, StoreError>
where
    Made: Future<Output = Result<Answer, StoreError>>,
{
    for _ in 0..TRIES_MAX {
        match call().await {
            Err(StoreError::Unavailable(_)) => tokio::time::sleep(TRY_INTERVAL).await,
            outcome => return outcome,
        }
    }
    panic!("a call must succeed within {TRIES_MAX} tries");
}

async fn publish_in_the_end(store: &dyn WebhookStore, new: &NewEvent) -> usize {
    match in_the_end(|| store.publish(std::slice::from_ref(new))).await {
        Ok(Publication::Accepted(accepted)) => accepted.len(),
        // An earlier try was stored after all.
        Err(StoreError::Duplicate { .. }) => 1,
        other => panic!("a publication must be accepted, got {other:?}"),
    }
}

/// Purges in steps of about `max` rows until none is left. Returns the number of rows.
async fn purge(store: &dyn WebhookStore, before_millis: i64, max: u32) -> usize {
    let mut all = 0;
    for _ in 0..CALLS_MAX {
        let purged = store.purge(Retained::Webhooks, at(before_millis), max).await.expect("a purge must succeed");
        if purged == 0 {
            return all;
        }
        all += purged as usize;
    }
    panic!("a purge must come to its end within {CALLS_MAX} calls");
}

/// The same publication with a new event.
fn republished(new: &NewEvent) -> NewEvent {
    NewEvent { event: event(&new.event.owner).event, ..new.clone() }
}

async fn attempts(store: &dyn WebhookStore, owner: &OwnerId) -> usize {
    let start = AttemptCursor { ended_at: Timestamp::MIN, delivery: DeliveryId::from_bytes([0; 16]), number: 0 };
    let request = ListAttemptsRequest { owner: owner.clone(), subscription: None, after: start, max: 1_000 };
    store.attempts_after(&request).await.expect("a list of attempts succeeds").len()
}
