use crate::named::named;

named! {
    /// The rule of a subscription with an order for a delivery that has no attempts left. Its deliveries leave one after
    /// the other, and a failed delivery holds the next ones back. See decision 144.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum OnExhausted: code, from_code {
        /// The next delivery leaves.
        Skip = "skip",
        /// The subscription is disabled.
        Stop = "stop",
    }
}
