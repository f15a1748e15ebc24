/// The rule of a subscription with an order for a delivery that has no attempts left. Its deliveries leave one after the other,
/// and a failed delivery holds the next ones back. See decision 144.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExhausted {
    /// The next delivery leaves.
    Skip,
    /// The subscription is disabled.
    Stop,
}

impl OnExhausted {
    /// Every rule.
    pub const ALL: [Self; 2] = [Self::Skip, Self::Stop];

    /// The code that the API and the stores use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Stop => "stop",
        }
    }

    /// The rule with this code; `None` if there is no such code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.code() == code)
    }
}
