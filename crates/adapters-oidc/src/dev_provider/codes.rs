use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Timestamp;

/// How long a code is valid.
const CODE_LIFETIME: Duration = Duration::from_mins(1);
/// The most codes that are valid at the same time.
const CODES_MAX: usize = 1_000;

/// Authorization codes that were issued and not yet exchanged.
#[derive(Default)]
pub(super) struct Codes(Mutex<HashMap<String, Waiting>>);

/// The login that a code belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) subject: String,
    pub(super) redirect_uri: String,
    pub(super) code_challenge: String,
    pub(super) nonce: Option<String>,
}

struct Waiting {
    grant: Grant,
    expires_at: Timestamp,
}

impl Codes {
    /// Keeps the code; `false` if the maximum number of codes is reached.
    #[must_use]
    pub(super) fn keep(&self, code: String, grant: Grant, now: Timestamp) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|_, other| other.expires_at > now);
        if waiting.len() >= CODES_MAX {
            return false;
        }
        waiting.insert(code, Waiting { grant, expires_at: now.plus(CODE_LIFETIME) });
        true
    }

    /// Takes the code, whether or not the exchange succeeds, so that no code works twice.
    pub(super) fn take(&self, code: &str, now: Timestamp) -> Option<Grant> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.remove(code).filter(|code| code.expires_at > now).map(|code| code.grant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_millis(seconds * 1_000).unwrap()
    }

    fn grant() -> Grant {
        Grant {
            subject: "alice".into(),
            redirect_uri: "http://localhost/".into(),
            code_challenge: "c".into(),
            nonce: None,
        }
    }

    #[test]
    fn a_code_is_good_once_and_for_60_seconds() {
        let codes = Codes::default();
        for code in ["a", "b"] {
            assert!(codes.keep(code.into(), grant(), at(100)));
        }
        assert_eq!(codes.take("a", at(159)), Some(grant()));
        assert_eq!(codes.take("a", at(159)), None);
        assert_eq!(codes.take("b", at(160)), None);
        assert_eq!(codes.take("never", at(100)), None);
    }

    #[test]
    fn the_number_of_codes_has_a_limit_which_expired_ones_leave() {
        let codes = Codes::default();
        for number in 0..CODES_MAX {
            assert!(codes.keep(number.to_string(), grant(), at(100)));
        }
        assert!(!codes.keep("more".into(), grant(), at(159)));
        assert!(codes.keep("more".into(), grant(), at(160)));
    }
}
