use crate::Timestamp;

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

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryEnd {
    /// The receiver has the event.
    Delivered,
    /// The last attempt of the schedule failed.
    ScheduleSpent,
    /// The subscription was disabled while the delivery waited.
    SubscriptionDisabled,
    /// The delivery cannot be sent, because the stored delivery, its event or its subscription is damaged.
    Unreadable,
    /// Its owner cancelled it.
    Cancelled,
    /// The subscription was deleted while the delivery waited.
    SubscriptionDeleted,
    /// The subscription was disabled when the event was published.
    Missed,
}

impl DeliveryEnd {
    /// Every end.
    pub const ALL: [Self; 7] = [
        Self::Delivered,
        Self::ScheduleSpent,
        Self::SubscriptionDisabled,
        Self::Unreadable,
        Self::Cancelled,
        Self::SubscriptionDeleted,
        Self::Missed,
    ];

    /// The code that the API and the stores use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::ScheduleSpent => "schedule_spent",
            Self::SubscriptionDisabled => "subscription_disabled",
            Self::Unreadable => "unreadable",
            Self::Cancelled => "cancelled",
            Self::SubscriptionDeleted => "subscription_deleted",
            Self::Missed => "missed",
        }
    }

    /// The end with this code; `None` if there is no such code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.code() == code)
    }

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

/// The state of a delivery, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryStateKind {
    /// The next attempt is due later.
    Waiting,
    /// An attempt is running.
    Sending,
    /// The receiver has the event.
    Delivered,
    /// The service has given up. Recovering the subscription retries the delivery.
    Failed,
    /// The owner has cancelled it, or deleted the subscription.
    Cancelled,
    /// The subscription was disabled when the event was published. Recovering the subscription sends the event.
    Missed,
}

impl DeliveryStateKind {
    /// Every word.
    pub const ALL: [Self; 6] =
        [Self::Waiting, Self::Sending, Self::Delivered, Self::Failed, Self::Cancelled, Self::Missed];

    /// The code that the API uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Missed => "missed",
        }
    }

    /// The state with this code; `None` if there is no such code.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
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
