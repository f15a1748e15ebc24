/// What happens in a subscription with an order when the attempts of a delivery are used up. Its deliveries leave one after the
/// other, and a delivery that fails holds the next ones back. See decision 144.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExhausted {
    /// The next delivery leaves.
    Skip,
    /// The subscription is disabled.
    Stop,
}

impl OnExhausted {
    /// Each, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Skip, Self::Stop];

    /// The code that the API and the stores use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Stop => "stop",
        }
    }

    /// The one with this code; `None` if there is none.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.code() == code)
    }
}
