use std::sync::Arc;

use domain::ports::{Clock, DeliveryQueue, Entropy, WebhookSender};
use domain::webhooks::SealingKeys;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::counters::Counters;
use crate::run::Run;
use crate::sweep::sweep_closed_lanes;
use crate::{DispatcherCounts, DispatcherSettings};

/// What a dispatcher works with.
pub struct DispatcherPorts {
    /// Hands out what is due.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Sends it.
    pub sender: Arc<dyn WebhookSender>,
    /// Opens the subscriptions' signing secrets.
    pub keys: Arc<SealingKeys>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Names claims, and spreads retries.
    pub entropy: Arc<dyn Entropy>,
}

/// Delivers webhooks.
pub struct Dispatcher {
    pub(crate) queue: Arc<dyn DeliveryQueue>,
    pub(crate) sender: Arc<dyn WebhookSender>,
    pub(crate) keys: Arc<SealingKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) settings: DispatcherSettings,
    pub(crate) counters: Counters,
    /// Wakes the sweep when a lane was closed.
    pub(crate) lane_closed: Notify,
}

impl Dispatcher {
    /// A dispatcher that does nothing until [`Dispatcher::run`].
    pub fn new(ports: DispatcherPorts, settings: DispatcherSettings) -> Arc<Self> {
        let DispatcherPorts { queue, sender, keys, clock, entropy } = ports;
        let (counters, lane_closed) = (Counters::default(), Notify::new());
        Arc::new(Self { queue, sender, keys, clock, entropy, settings, counters, lane_closed })
    }

    /// Delivers until `stop` is cancelled. Then it claims nothing more, gives back what it has not begun, lets attempts
    /// under way end within [`DispatcherSettings::stop_grace`], and stores how they ended.
    ///
    /// - Attempts run on the runtime that this is called on.
    /// - An attempt that the grace cuts off may have been received. It counts, and is due again at once.
    /// - Dropping the future drops the attempts with it. What was claimed is due again when its lease ends.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        tokio::join!(Run::new(&self).run(&stop), sweep_closed_lanes(&self, &stop));
    }

    /// What it has done so far.
    pub fn counts(&self) -> DispatcherCounts {
        self.counters.read()
    }
}
