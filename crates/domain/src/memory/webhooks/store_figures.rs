use async_trait::async_trait;

use super::{Lane, MemoryWebhookStore, Tables};
use crate::Timestamp;
use crate::ports::{LaneFigures, QueueFigures, StoreError, StoreFigures};
use crate::webhooks::{Admission, SubscriptionStatus};

impl Lane {
    fn is_paused(&self, at: Timestamp) -> bool {
        matches!(self.breaker.admission(at), Admission::Paused(_))
    }
}

impl Tables {
    fn waiting(&self, max: u32) -> u32 {
        let waiting = self.deliveries.values().filter(|stored| stored.queued.is_some()).count();
        u32::try_from(waiting).unwrap_or(u32::MAX).min(max)
    }

    fn oldest_due(&self, at: Timestamp) -> Option<Timestamp> {
        let waiting = self.deliveries.values().filter(|stored| {
            let lane = self.lanes.get(&stored.delivery.subscription_id);
            let may_send = |lane: &Lane| !self.owners.is_suspended(&lane.subscription.owner);
            lane.is_some_and(|lane| lane.is_open() && !lane.is_paused(at) && may_send(lane))
        });
        let due = waiting.filter_map(|stored| stored.queued).filter(|queued| queued.is_due(at));
        due.map(|queued| queued.due_at).min()
    }

    fn lane_figures(&self, at: Timestamp, max: u32) -> LaneFigures {
        let mut figures = LaneFigures::default();
        for lane in self.lanes.values().take(max as usize) {
            match (lane.is_open(), lane.is_paused(at)) {
                (false, _) => figures.closed += 1,
                (true, true) => figures.paused += 1,
                (true, false) => figures.open += 1,
            }
        }
        figures
    }

    fn subscription_figures(&self, max: u32) -> Vec<(SubscriptionStatus, u32)> {
        let mut figures: Vec<(SubscriptionStatus, u32)> = Vec::new();
        for lane in self.lanes.values().take(max as usize).filter(|lane| lane.secrets.is_some()) {
            let status = lane.subscription.status;
            match figures.iter_mut().find(|(counted, _)| *counted == status) {
                Some((_, count)) => *count += 1,
                None => figures.push((status, 1)),
            }
        }
        figures
    }
}

#[async_trait]
impl StoreFigures for MemoryWebhookStore {
    async fn queue_figures(&self, at: Timestamp, max: u32) -> Result<QueueFigures, StoreError> {
        let tables = self.tables();
        Ok(QueueFigures {
            waiting: tables.waiting(max),
            oldest_due: tables.oldest_due(at),
            lanes: tables.lane_figures(at, max),
            subscriptions: tables.subscription_figures(max),
        })
    }
}
