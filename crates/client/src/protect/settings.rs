use std::time::Duration;

/// The limits of a [`KeyVerifier`](super::KeyVerifier). The module's promises hold for the defaults.
#[derive(Clone, Copy, Debug)]
pub struct KeyVerifierSettings {
    /// How old an answer may be while Gatepost answers: 1 s. With zero, every request asks Gatepost.
    pub max_age: Duration,
    /// How old an answer may be while Gatepost does not answer: 5 s. At least `max_age`.
    pub trust_max: Duration,
    /// How long a call to Gatepost may take before it counts as failed: 1 s.
    pub call_timeout: Duration,
    /// How long a refusal is cached: 1 s.
    pub refused_max_age: Duration,
    /// The most valid keys in the cache: 100,000.
    pub keys_max: usize,
    /// The most refused keys in the cache: 20,000.
    pub refused_max: usize,
    /// The most calls at a time: 64 for keys that were valid before, and 64 for other keys.
    pub calls_max: usize,
}

impl Default for KeyVerifierSettings {
    fn default() -> Self {
        Self {
            max_age: Duration::from_secs(1),
            trust_max: Duration::from_secs(5),
            call_timeout: Duration::from_secs(1),
            refused_max_age: Duration::from_secs(1),
            keys_max: 100_000,
            refused_max: 20_000,
            calls_max: 64,
        }
    }
}
