use crate::errors::api_error::{ApiError, Invalid};
use crate::errors::error_code::ErrorCode;

/// The credential that a caller presented. See decision 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presented<T> {
    /// No credential.
    Nothing,
    /// One credential, in one place, or the same one in several places.
    One(T),
    /// A value that is never a valid credential here, or several credentials that differ.
    Unusable(&'static str),
}

impl<T: PartialEq> Presented<T> {
    /// Adds the credential in another place, which must be the same.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unusable(reason), _) | (_, Self::Unusable(reason)) => Self::Unusable(reason),
            (Self::Nothing, only) | (only, Self::Nothing) => only,
            (Self::One(first), Self::One(second)) if first == second => Self::One(first),
            (Self::One(_), Self::One(_)) => Self::Unusable("several credentials that differ"),
        }
    }

    /// The one credential that can be used.
    pub(crate) fn one(self) -> Option<T> {
        match self {
            Self::One(value) => Some(value),
            Self::Nothing | Self::Unusable(_) => None,
        }
    }

    /// The one credential that can be used.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn required(self) -> Result<T, ApiError> {
        match self {
            Self::Nothing => Err(ErrorCode::CredentialMissing.into()),
            Self::One(value) => Ok(value),
            Self::Unusable(reason) => Err(ApiError::CredentialInvalid(Invalid::Presented, reason)),
        }
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Presented<U> {
        match self {
            Self::Nothing => Presented::Nothing,
            Self::One(value) => Presented::One(change(value)),
            Self::Unusable(reason) => Presented::Unusable(reason),
        }
    }
}

/// An empty value counts as a credential that is not valid.
pub(crate) fn of_text(text: &str) -> Presented<&str> {
    if text.is_empty() { Presented::Unusable("an empty credential") } else { Presented::One(text) }
}
