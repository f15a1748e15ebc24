/// Which deliveries a recovery retries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recoverable {
    /// Failed and missed deliveries.
    #[default]
    All,
    /// Deliveries that failed or wait for a retry.
    Failed,
    /// Deliveries of events that were published while the subscription was disabled.
    Missed,
}

impl Recoverable {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::All, Self::Failed, Self::Missed];

    /// The name that the API uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Failed => "failed",
            Self::Missed => "missed",
        }
    }

    /// The kind with this name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// Whether the recovery includes deliveries that failed or wait for a retry.
    pub fn has_failed(self) -> bool {
        self != Self::Missed
    }

    /// Whether the recovery includes missed deliveries.
    pub fn has_missed(self) -> bool {
        self != Self::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in Recoverable::ALL {
            assert_eq!(Recoverable::parse(kind.as_str()), Some(kind));
            assert!(kind.has_failed() || kind.has_missed());
        }
        assert_eq!(Recoverable::parse("waiting"), None);
    }
}
