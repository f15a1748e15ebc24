use crate::Timestamp;

/// How a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be attempted, not before then.
    Waiting(Timestamp),
    /// Being attempted. Should the instance die, it is due again then.
    Sending(Timestamp),
    /// Over.
    Ended {
        /// How.
        end: DeliveryEnd,
        /// When.
        at: Timestamp,
    },
}

/// How a delivery ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryEnd {
    /// The receiver has it.
    Delivered,
    /// The last attempt of the schedule failed.
    ScheduleSpent,
    /// The subscription was disabled while it waited.
    SubscriptionDisabled,
    /// Its owner cancelled it.
    Cancelled,
    /// The subscription was deleted while it waited.
    SubscriptionDeleted,
}

impl DeliveryEnd {
    /// Every end.
    pub const ALL: [Self; 5] =
        [Self::Delivered, Self::ScheduleSpent, Self::SubscriptionDisabled, Self::Cancelled, Self::SubscriptionDeleted];

    /// The code that the API and storage use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::ScheduleSpent => "schedule_spent",
            Self::SubscriptionDisabled => "subscription_disabled",
            Self::Cancelled => "cancelled",
            Self::SubscriptionDeleted => "subscription_deleted",
        }
    }

    /// The end of a code; `None` when there is none.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.code() == code)
    }

    /// What consumers are told in a word, beside the reason.
    pub const fn kind(self) -> DeliveryStateKind {
        match self {
            Self::Delivered => DeliveryStateKind::Delivered,
            Self::ScheduleSpent | Self::SubscriptionDisabled => DeliveryStateKind::Failed,
            Self::Cancelled | Self::SubscriptionDeleted => DeliveryStateKind::Cancelled,
        }
    }
}

/// The word for how a delivery stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryStateKind {
    /// To be attempted.
    Waiting,
    /// Being attempted.
    Sending,
    /// The receiver has it.
    Delivered,
    /// Given up by us. Recovering the subscription brings it back.
    Failed,
    /// Given up by its owner.
    Cancelled,
}

impl DeliveryStateKind {
    /// Every word.
    pub const ALL: [Self; 5] = [Self::Waiting, Self::Sending, Self::Delivered, Self::Failed, Self::Cancelled];

    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// What a word stands for; `None` when nothing.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl DeliveryState {
    /// The word for it.
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
