//! An owner's change holds for every attempt that starts more than a second later.

use std::time::Duration;

use dispatcher::{DispatcherSettings, UNSENT_MAX};
use domain::SubscriptionId;
use domain::memory::unique_cause;
use domain::ports::{CancelDeliveryRequest, Clock, DeleteSubscriptionRequest, DeliveryCommands, SubscriptionStore};
use domain::webhooks::{Delivery, SubscriptionChange, TargetUrl};
use tokio::time::Instant;

use crate::receivers::takes;
use crate::world::{World, millis, pass, seconds};

const OLD: &str = "https://old.example/";
const NEW: &str = "https://new.example/";

#[derive(Clone, Copy, Debug)]
enum Change {
    Url,
    Disable,
    Delete,
    Cancel,
}

async fn make(change: Change, world: &World, lane: SubscriptionId) {
    let (owner, at) = (world.owner.clone(), world.clock.now());
    match change {
        Change::Url => {
            let url = TargetUrl::from_stored(NEW);
            world.change(lane, SubscriptionChange { url, ..SubscriptionChange::default() }).await;
        }
        Change::Disable => {
            world.change(lane, SubscriptionChange { enabled: Some(false), ..SubscriptionChange::default() }).await;
        }
        Change::Delete => {
            let request = DeleteSubscriptionRequest { owner, id: lane, at, cause: unique_cause() };
            assert!(world.store.delete(&request).await.unwrap());
        }
        Change::Cancel => {
            for Delivery { id, .. } in world.deliveries().await {
                let request = CancelDeliveryRequest { owner: owner.clone(), id, at, cause: unique_cause() };
                world.store.cancel(&request).await.unwrap();
            }
        }
    }
}

/// 300 deliveries wait for a receiver that answers after this time, and the owner makes a change.
async fn holds(change: Change, answer_time: Duration) {
    let (world, lane) = World::with_lane(OLD).await;
    world.publish(300, Some(lane)).await;
    let (_, receivers, _running) = world.run(takes(answer_time), DispatcherSettings::default());
    pass(millis(700)).await;
    let changed = Instant::now();
    make(change, &world, lane).await;
    pass(seconds(600)).await;
    let what = format!("{change:?} with answers after {answer_time:?}");
    let before = receivers.seen(OLD);
    assert!((8..300).contains(&before.len()), "{what}: {} attempts", before.len());
    let last = before.iter().map(|seen| seen.at).max().unwrap();
    assert!(last <= changed + UNSENT_MAX, "{what}: an attempt at the old URL {:?} later", last - changed);
    let after = receivers.seen(NEW).len();
    assert_eq!(after, if let Change::Url = change { 300 - before.len() } else { 0 }, "{what}");
}

#[tokio::test(start_paused = true)]
async fn a_change_holds_within_a_second() {
    for change in [Change::Url, Change::Disable, Change::Delete, Change::Cancel] {
        for answer_time in [millis(300), millis(900), seconds(14)] {
            holds(change, answer_time).await;
        }
    }
}
