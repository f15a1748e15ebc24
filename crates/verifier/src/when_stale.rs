use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The longest time that [`WhenStale::Serve`] may have, in seconds: a day.
const SERVE_SECONDS_MAX: u64 = 24 * 60 * 60;
const REFUSE: &str = "refuse";
const SERVE: &str = "serve:";

/// The treatment of cached keys once an instance cannot read the change feed for [`TRUST_MAX`](crate::TRUST_MAX). Its
/// text form is `refuse`, or `serve:` and 1 to 86,400 seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenStale {
    /// Looks each key up in the store.
    #[default]
    Refuse,
    /// Accepts cached keys for this much longer. A key that another instance revokes in that time stays valid until
    /// then.
    Serve(Duration),
}

impl WhenStale {
    /// The allowed text forms, to follow "must be".
    pub const ALLOWED: &str = "refuse, or serve: and 1 to 86400 seconds, such as serve:600";

    /// How long cached keys are accepted after full trust has ended.
    pub(crate) fn serve_max(self) -> Duration {
        match self {
            Self::Refuse => Duration::ZERO,
            Self::Serve(max) => max,
        }
    }
}

/// Why a string is not a valid [`WhenStale`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {}", WhenStale::ALLOWED)]
pub struct InvalidWhenStale;

impl FromStr for WhenStale {
    type Err = InvalidWhenStale;

    fn from_str(text: &str) -> Result<Self, InvalidWhenStale> {
        if text == REFUSE {
            return Ok(Self::Refuse);
        }
        let seconds = text.strip_prefix(SERVE).and_then(|seconds| seconds.parse().ok());
        let allowed = seconds.filter(|seconds| (1..=SERVE_SECONDS_MAX).contains(seconds));
        allowed.map(|seconds| Self::Serve(Duration::from_secs(seconds))).ok_or(InvalidWhenStale)
    }
}

impl fmt::Display for WhenStale {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refuse => formatter.write_str(REFUSE),
            Self::Serve(max) => write!(formatter, "{SERVE}{}", max.as_secs()),
        }
    }
}
