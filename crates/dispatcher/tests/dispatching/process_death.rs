//! The process dies at each await point that has a name, one after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use dispatcher::DispatcherSettings;
use domain::ports::{Attempt, WebhookSender};
use domain::webhooks::{AttemptOutcome, DeliveryEnd, DeliveryState};

use crate::faulty_queue::{Fate, Fault, FaultyQueue, Point};
use crate::receivers::{Receivers, well};
use crate::world::{World, pass, seconds};
use tokio_util::sync::CancellationToken;

/// Dies at the point with this number, counted over all processes.
struct DieAt {
    number: usize,
    passed: AtomicUsize,
}

impl Fate for DieAt {
    fn at(&self, _: Point) -> Fault {
        if self.passed.fetch_add(1, Ordering::SeqCst) == self.number { Fault::Die } else { Fault::None }
    }
}

/// Passes the points of sending on its way to the receivers.
struct Sender {
    queue: Arc<FaultyQueue>,
    receivers: Arc<Receivers>,
}

#[async_trait]
impl WebhookSender for Sender {
    async fn send(&self, attempt: Attempt) -> AttemptOutcome {
        self.queue.pass(Point::BeforeSend).await.unwrap();
        let outcome = self.receivers.send(attempt).await;
        self.queue.pass(Point::AfterSend).await.unwrap();
        outcome
    }
}

/// Delivers nine webhooks to three receivers, and dies once. Returns the number of attempts, and whether it died.
async fn deliver_dying_at(number: usize) -> (usize, bool) {
    let (world, _) = World::with_lanes(3).await;
    world.publish(3, None).await;
    let receivers = Receivers::new(|_| well());
    let fate = Arc::new(DieAt { number, passed: AtomicUsize::new(0) });
    let mut has_died = false;
    for _ in 0..2 {
        let queue = FaultyQueue::new(&world.store, fate.clone());
        let sender = Arc::new(Sender { queue: queue.clone(), receivers: receivers.clone() });
        let dispatcher = world.dispatcher(queue.clone(), sender, DispatcherSettings::default());
        tokio::select! {
            biased;
            () = queue.death.notified() => has_died = true,
            () = dispatcher.run(CancellationToken::new()) => {}
            () = pass(seconds(70)) => {}
        }
    }
    let deliveries = world.deliveries().await;
    assert_eq!(deliveries.len(), 9);
    for delivery in deliveries {
        assert!(
            matches!(delivery.state, DeliveryState::Ended { end: DeliveryEnd::Delivered, .. }),
            "dying at {number}: {delivery:?}"
        );
    }
    (receivers.count(), has_died)
}

#[test]
fn wherever_the_process_dies_the_next_one_delivers_everything() {
    let mut points = 0;
    loop {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let (attempts, has_died) = runtime.block_on(deliver_dying_at(points));
        assert!((9..=18).contains(&attempts), "dying at {points}: {attempts} attempts");
        if points >= 120 || !has_died {
            break;
        }
        points += 1;
    }
    assert!(points > 20, "only {points} points to die at");
}
