use crate::Timestamp;
use crate::named::named;

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// The next attempt is due at this time.
    Waiting(Timestamp),
    /// An attempt is running. If the instance dies, the delivery is due again at this time.
    Sending(Timestamp),
    /// The delivery has ended.
    Ended {
        /// How it ended.
        end: DeliveryEnd,
        /// When it ended.
        at: Timestamp,
    },
}

named! {
    /// The end of a delivery.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum DeliveryEnd: code, from_code {
        /// The receiver has the event.
        Delivered = "delivered",
        /// The last attempt of the schedule failed.
        ScheduleSpent = "schedule_spent",
        /// The subscription was disabled while the delivery waited.
        SubscriptionDisabled = "subscription_disabled",
        /// The delivery cannot be sent, because the stored delivery, its event or its subscription is damaged.
        Unreadable = "unreadable",
        /// Its owner cancelled it.
        Cancelled = "cancelled",
        /// The subscription was deleted while the delivery waited.
        SubscriptionDeleted = "subscription_deleted",
        /// The subscription was disabled when the event was published.
        Missed = "missed",
    }
}

impl DeliveryEnd {
    /// The word that users see together with the reason.
    pub const fn kind(self) -> DeliveryStateKind {
        match self {
            Self::Delivered => DeliveryStateKind::Delivered,
            Self::ScheduleSpent | Self::SubscriptionDisabled | Self::Unreadable => DeliveryStateKind::Failed,
            Self::Cancelled | Self::SubscriptionDeleted => DeliveryStateKind::Cancelled,
            Self::Missed => DeliveryStateKind::Missed,
        }
    }
}

named! {
    /// The state of a delivery, in one word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum DeliveryStateKind: as_str, parse {
        /// The next attempt is due later.
        Waiting = "waiting",
        /// An attempt is running.
        Sending = "sending",
        /// The receiver has the event.
        Delivered = "delivered",
        /// The service has given up. Recovering the subscription retries the delivery.
        Failed = "failed",
        /// The owner has cancelled it, or deleted the subscription.
        Cancelled = "cancelled",
        /// The subscription was disabled when the event was published. Recovering the subscription sends the event.
        Missed = "missed",
    }
}

impl DeliveryState {
    /// The state in one word.
    pub const fn kind(self) -> DeliveryStateKind {
        match self {
            Self::Waiting(_) => DeliveryStateKind::Waiting,
            Self::Sending(_) => DeliveryStateKind::Sending,
            Self::Ended { end, .. } => end.kind(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_words_read_back() {
        for end in DeliveryEnd::ALL {
            assert_eq!(DeliveryEnd::from_code(end.code()), Some(end));
        }
        for kind in DeliveryStateKind::ALL {
            assert_eq!(DeliveryStateKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!((DeliveryEnd::from_code(""), DeliveryStateKind::parse("ended")), (None, None));
    }
}
