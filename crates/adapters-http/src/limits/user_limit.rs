use domain::{RateLimit, UserId};

use super::keyed_limiter::KeyedLimiter;
use crate::errors::api_error::{ApiError, Limited};

/// Limits the calls of each user, whichever credential the user presents. Verification does not count.
pub(crate) struct UserLimit(KeyedLimiter<UserId>);

impl UserLimit {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self(KeyedLimiter::new(limit))
    }

    /// Counts a call of this user.
    ///
    /// # Errors
    ///
    /// When the user has used up the limit.
    pub(crate) fn spend(&self, user: &UserId) -> Result<(), ApiError> {
        let allowance = self.0.spend(user);
        if allowance.retry_after.is_some() { Err(ApiError::RateLimited(Limited::User, allowance)) } else { Ok(()) }
    }
}
