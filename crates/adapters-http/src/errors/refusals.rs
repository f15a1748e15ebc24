//! Errors of the rules become HTTP here, and nowhere else.

use std::borrow::Cow;

use domain::ports::{IdentityUnavailable, StoreError};
use domain::webhooks::{
    CreateSubscriptionError, InvalidSubscribedEvents, PublishEventsError, RecoverSubscriptionError, RetryDeliveryError,
    RotateSecretError, TestSubscriptionError,
};
use domain::{CreateKeyError, ReportLeaksError, RevokeKeyError, RotateKeyError};

use crate::errors::api_error::ApiError;
use crate::errors::problem::{FieldFault, LocatedFault};

impl From<FieldFault> for ApiError {
    fn from(fault: FieldFault) -> Self {
        Self::InvalidFields(vec![fault])
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error.into()),
            StoreError::Corrupt { .. } | StoreError::Duplicate { .. } => Self::Internal(error.into()),
        }
    }
}

impl From<IdentityUnavailable> for ApiError {
    fn from(error: IdentityUnavailable) -> Self {
        Self::Unavailable(error.into())
    }
}

impl From<CreateKeyError> for ApiError {
    fn from(error: CreateKeyError) -> Self {
        match error {
            CreateKeyError::LimitReached { max } => Self::ApiKeyLimitReached(max),
            CreateKeyError::ExpiryOutOfRange { .. } => {
                FieldFault { field: "expiresAt", detail: error.to_string().into() }.into()
            }
            CreateKeyError::Store(error) => error.into(),
        }
    }
}

impl From<RevokeKeyError> for ApiError {
    fn from(error: RevokeKeyError) -> Self {
        match error {
            RevokeKeyError::NotFound => Self::KeyNotFound,
            RevokeKeyError::NotOwned => Self::KeyNotOwned,
            RevokeKeyError::Store(error) => error.into(),
        }
    }
}

impl From<ReportLeaksError> for ApiError {
    fn from(error: ReportLeaksError) -> Self {
        match error {
            ReportLeaksError::TooMany => FieldFault { field: "tokens", detail: error.to_string().into() }.into(),
            ReportLeaksError::Store(error) => error.into(),
        }
    }
}

impl From<RotateKeyError> for ApiError {
    fn from(error: RotateKeyError) -> Self {
        match error {
            RotateKeyError::OverlapOutOfRange => {
                FieldFault { field: "overlapSeconds", detail: error.to_string().into() }.into()
            }
            RotateKeyError::NotFound => Self::KeyNotFound,
            RotateKeyError::NotOwned => Self::KeyNotOwned,
            RotateKeyError::Refused(refusal) => Self::KeyNotRotatable(refusal),
            RotateKeyError::Store(error) => error.into(),
        }
    }
}

impl From<CreateSubscriptionError> for ApiError {
    fn from(error: CreateSubscriptionError) -> Self {
        match error {
            CreateSubscriptionError::LimitReached { max } => Self::SubscriptionLimitReached(max),
            CreateSubscriptionError::Store(error) => error.into(),
        }
    }
}

impl From<RotateSecretError> for ApiError {
    fn from(error: RotateSecretError) -> Self {
        match error {
            RotateSecretError::OverlapOutOfRange => {
                FieldFault { field: "overlapSeconds", detail: error.to_string().into() }.into()
            }
            RotateSecretError::NotFound => Self::SubscriptionNotFound,
            RotateSecretError::Store(error) => error.into(),
        }
    }
}

impl From<TestSubscriptionError> for ApiError {
    fn from(error: TestSubscriptionError) -> Self {
        match error {
            TestSubscriptionError::NotFound => Self::SubscriptionNotFound,
            TestSubscriptionError::Disabled => Self::SubscriptionDisabled,
            TestSubscriptionError::TooLarge(_) => Self::Internal(error.into()),
            TestSubscriptionError::Store(error) => error.into(),
        }
    }
}

impl From<RecoverSubscriptionError> for ApiError {
    fn from(error: RecoverSubscriptionError) -> Self {
        match error {
            RecoverSubscriptionError::SinceInFuture => {
                FieldFault { field: "since", detail: error.to_string().into() }.into()
            }
            RecoverSubscriptionError::NotFound => Self::SubscriptionNotFound,
            RecoverSubscriptionError::Store(error) => error.into(),
        }
    }
}

impl From<RetryDeliveryError> for ApiError {
    fn from(error: RetryDeliveryError) -> Self {
        match error {
            RetryDeliveryError::NotFound => Self::DeliveryNotFound,
            RetryDeliveryError::SubscriptionDisabled => Self::SubscriptionDisabled,
            RetryDeliveryError::EventTooOld => Self::EventTooOld,
            RetryDeliveryError::Store(error) => error.into(),
        }
    }
}

/// A refused publication. `locate` says where a field of the event at an index stands in the body.
pub(crate) fn of_publication(
    error: PublishEventsError,
    locate: impl Fn(usize, &'static str) -> Cow<'static, str>,
) -> ApiError {
    match error {
        PublishEventsError::Count => FieldFault { field: "events", detail: error.to_string().into() }.into(),
        PublishEventsError::TooLarge { index, source } => {
            let detail = format!("is too large: {source}").into();
            ApiError::EventTooLarge(LocatedFault { field: locate(index, "data"), detail })
        }
        PublishEventsError::Conflict { index } => {
            let detail = "was published before with another type or other data".into();
            ApiError::EventConflict(LocatedFault { field: locate(index, "id"), detail })
        }
        PublishEventsError::Store(error) => error.into(),
    }
}

/// What is wrong with a list of event names.
pub(crate) fn of_subscribed_events(error: InvalidSubscribedEvents) -> FieldFault {
    let detail = match error {
        InvalidSubscribedEvents::Count => error.to_string(),
        InvalidSubscribedEvents::Name { index, source } => format!("at index {index}: {source}"),
    };
    FieldFault { field: "events", detail: detail.into() }
}
