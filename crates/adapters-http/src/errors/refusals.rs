//! Maps the errors of the domain to HTTP, and is the only file that does.

use domain::catalogue::{ArchiveEventTypeError, ImportEventTypesError, PublicationRefusal, PutEventTypeError};
use domain::ports::{IdentityUnavailable, StoreError};
use domain::sessions::{CreateLinkError, EndSessionError, SignInError, UseLinkError};
use domain::webhooks::{
    CreateSubscriptionError, InvalidFilter, InvalidOptions, InvalidSubscribedEvents, NoPushSubscription,
    PublishEventsError, RecoverSubscriptionError, RetryDeliveryError, RetryFailuresError, RotateSecretError,
    TestSubscriptionError, TestUrlError,
};
use domain::{
    ChangeKeyError, ChangeLogError, ChangeOwnerError, CreateKeyError, KeyChangeRefusal, ReportLeaksError,
    RevokeKeyError, RotateKeyError, RotationRefusal,
};

use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::records::event_type_record::SchemaFaultRecord;

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

impl From<SignInError> for ApiError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::NotBegun => ErrorCode::SignInNotBegun.into(),
            SignInError::Refused(reason) => Self::SignInRefused(reason),
            SignInError::Provider(error) => error.into(),
            SignInError::Store(error) => error.into(),
        }
    }
}

impl From<CreateLinkError> for ApiError {
    fn from(error: CreateLinkError) -> Self {
        match error {
            CreateLinkError::LifetimeOutOfRange => FieldFault::of("ttlSeconds", error).into(),
            CreateLinkError::Store(error) => error.into(),
        }
    }
}

impl From<UseLinkError> for ApiError {
    fn from(error: UseLinkError) -> Self {
        match error {
            UseLinkError::Spent => ErrorCode::PortalLinkSpent.into(),
            UseLinkError::Store(error) => error.into(),
        }
    }
}

impl From<EndSessionError> for ApiError {
    fn from(error: EndSessionError) -> Self {
        match error {
            EndSessionError::NotFound => ErrorCode::SessionNotFound.into(),
            EndSessionError::Store(error) => error.into(),
        }
    }
}

impl From<ChangeLogError> for ApiError {
    fn from(error: ChangeLogError) -> Self {
        match error {
            ChangeLogError::Store(error) => error.into(),
            ChangeLogError::Invalid(_) | ChangeLogError::TooLong => FieldFault::of("filter", error).into(),
        }
    }
}

impl From<CreateKeyError> for ApiError {
    fn from(error: CreateKeyError) -> Self {
        match error {
            CreateKeyError::LimitReached { max } => Self::Explained(
                ErrorCode::ApiKeyLimitReached,
                format!("the maximum of {max} active keys is reached").into(),
            ),
            CreateKeyError::Expiry(error) => FieldFault::of("expiresAt", error).into(),
            CreateKeyError::RateLimitTooHigh(error) => FieldFault::of("rateLimit", error).into(),
            CreateKeyError::ExceedsCreator => Self::Explained(ErrorCode::CapabilityMissing, error.to_string().into()),
            CreateKeyError::Store(error) => error.into(),
        }
    }
}

impl From<ChangeKeyError> for ApiError {
    fn from(error: ChangeKeyError) -> Self {
        match error {
            ChangeKeyError::NotFound => ErrorCode::KeyNotFound.into(),
            ChangeKeyError::NotOwned => ErrorCode::KeyNotOwned.into(),
            ChangeKeyError::RateLimitTooHigh(error) => FieldFault::of("rateLimit", error).into(),
            ChangeKeyError::Refused(KeyChangeRefusal::Metadata(error)) => FieldFault::of("metadata", error).into(),
            ChangeKeyError::Refused(refusal @ KeyChangeRefusal::ExpiryOutOfRange) => {
                FieldFault::of("expiresAt", refusal).into()
            }
            ChangeKeyError::Refused(refusal @ (KeyChangeRefusal::Revoked | KeyChangeRefusal::Expired)) => {
                Self::Explained(ErrorCode::KeyNotChangeable, refusal.to_string().into())
            }
            ChangeKeyError::Store(error) => error.into(),
        }
    }
}

impl From<ChangeOwnerError> for ApiError {
    fn from(error: ChangeOwnerError) -> Self {
        match error {
            ChangeOwnerError::Metadata(error) => FieldFault::of("metadata", error).into(),
            ChangeOwnerError::Store(error) => error.into(),
        }
    }
}

impl From<RevokeKeyError> for ApiError {
    fn from(error: RevokeKeyError) -> Self {
        match error {
            RevokeKeyError::NotFound => ErrorCode::KeyNotFound.into(),
            RevokeKeyError::NotOwned => ErrorCode::KeyNotOwned.into(),
            RevokeKeyError::Store(error) => error.into(),
        }
    }
}

impl From<ReportLeaksError> for ApiError {
    fn from(error: ReportLeaksError) -> Self {
        match error {
            ReportLeaksError::TooMany => FieldFault::of("tokens", error).into(),
            ReportLeaksError::Store(error) => error.into(),
        }
    }
}

impl From<RotateKeyError> for ApiError {
    fn from(error: RotateKeyError) -> Self {
        match error {
            RotateKeyError::OverlapOutOfRange => FieldFault::of("overlapSeconds", error).into(),
            RotateKeyError::NotFound => ErrorCode::KeyNotFound.into(),
            RotateKeyError::NotOwned => ErrorCode::KeyNotOwned.into(),
            RotateKeyError::Refused(refusal @ RotationRefusal::ExceedsCaller) => {
                Self::Explained(ErrorCode::CapabilityMissing, refusal.to_string().into())
            }
            RotateKeyError::Refused(refusal) => Self::Explained(ErrorCode::KeyNotRotatable, refusal.to_string().into()),
            RotateKeyError::Store(error) => error.into(),
        }
    }
}

impl From<CreateSubscriptionError> for ApiError {
    fn from(error: CreateSubscriptionError) -> Self {
        match error {
            CreateSubscriptionError::LimitReached { max } => Self::Explained(
                ErrorCode::SubscriptionLimitReached,
                format!("the maximum of {max} subscriptions is reached").into(),
            ),
            CreateSubscriptionError::TooManyDeleted { max } => Self::Explained(
                ErrorCode::SubscriptionLimitReached,
                format!("the maximum of {max} deleted subscriptions that the log remembers is reached").into(),
            ),
            CreateSubscriptionError::Options(error) => of_options(error).into(),
            CreateSubscriptionError::Store(error) => error.into(),
        }
    }
}

impl From<NoPushSubscription> for ApiError {
    fn from(error: NoPushSubscription) -> Self {
        match error {
            NoPushSubscription::NotFound => ErrorCode::SubscriptionNotFound.into(),
            NoPushSubscription::Pulled => ErrorCode::SubscriptionPulled.into(),
        }
    }
}

impl From<RotateSecretError> for ApiError {
    fn from(error: RotateSecretError) -> Self {
        match error {
            RotateSecretError::OverlapOutOfRange => FieldFault::of("overlapSeconds", error).into(),
            RotateSecretError::NoSharedSecret(_) => FieldFault::of("secret", error).into(),
            RotateSecretError::Overlapping { .. } => {
                Self::Explained(ErrorCode::SecretOverlapping, error.to_string().into())
            }
            RotateSecretError::NoSubscription(error) => error.into(),
            RotateSecretError::Store(error) => error.into(),
        }
    }
}

impl From<TestSubscriptionError> for ApiError {
    fn from(error: TestSubscriptionError) -> Self {
        match error {
            TestSubscriptionError::NoSubscription(error) => error.into(),
            TestSubscriptionError::Disabled => ErrorCode::SubscriptionDisabled.into(),
            TestSubscriptionError::TooLarge(_) => Self::Internal(error.into()),
            TestSubscriptionError::Store(error) => error.into(),
        }
    }
}

impl From<TestUrlError> for ApiError {
    fn from(error: TestUrlError) -> Self {
        match error {
            TestUrlError::TooLarge(_) => Self::Internal(error.into()),
            TestUrlError::Options(error) => of_options(error).into(),
            TestUrlError::NotSent => ErrorCode::TestNotSent.into(),
        }
    }
}

impl From<RecoverSubscriptionError> for ApiError {
    fn from(error: RecoverSubscriptionError) -> Self {
        match error {
            RecoverSubscriptionError::SinceInFuture => FieldFault::of("since", error).into(),
            RecoverSubscriptionError::NoSubscription(error) => error.into(),
            RecoverSubscriptionError::Store(error) => error.into(),
        }
    }
}

impl From<RetryDeliveryError> for ApiError {
    fn from(error: RetryDeliveryError) -> Self {
        match error {
            RetryDeliveryError::NotFound => ErrorCode::DeliveryNotFound.into(),
            RetryDeliveryError::SubscriptionDisabled => ErrorCode::SubscriptionDisabled.into(),
            RetryDeliveryError::EventTooOld => ErrorCode::EventTooOld.into(),
            RetryDeliveryError::Store(error) => error.into(),
        }
    }
}

impl From<RetryFailuresError> for ApiError {
    fn from(error: RetryFailuresError) -> Self {
        match error {
            RetryFailuresError::NotFound => ErrorCode::SubscriptionNotFound.into(),
            RetryFailuresError::SubscriptionDisabled => ErrorCode::SubscriptionDisabled.into(),
            RetryFailuresError::Store(error) => error.into(),
        }
    }
}

impl From<PutEventTypeError> for ApiError {
    fn from(error: PutEventTypeError) -> Self {
        match error {
            PutEventTypeError::Schema(error) => FieldFault::of("schema", error).into(),
            PutEventTypeError::SchemaMissing(_) => FieldFault::of("schema", error).into(),
            PutEventTypeError::Example { index, faults } => {
                let places = faults.iter().map(|fault| format!("{:?} {}", fault.pointer, fault.message));
                let places = places.collect::<Vec<_>>().join("; ");
                FieldFault::new(format!("examples[{index}]"), format!("breaks the schema: {places}")).into()
            }
            PutEventTypeError::Breaks(found) => Self::Explained(ErrorCode::SchemaBreaks, found.to_string().into()),
            PutEventTypeError::Full => ErrorCode::EventTypeLimitReached.into(),
            PutEventTypeError::Overtaken => Self::Unavailable(error.into()),
            PutEventTypeError::Store(error) => error.into(),
        }
    }
}

/// Maps a refused import, whose event types have these places in the body.
pub(crate) fn of_import(error: ImportEventTypesError, places: &[String]) -> ApiError {
    match error {
        ImportEventTypesError::Type { index, source } => match source.into() {
            ApiError::Explained(code, detail) => {
                ApiError::AtFault(code, vec![FieldFault::new("schema", detail)]).in_field(&places[index])
            }
            other => other.in_field(&places[index]),
        },
        ImportEventTypesError::Archive(error) => error.into(),
        ImportEventTypesError::Store(error) => error.into(),
    }
}

impl From<ArchiveEventTypeError> for ApiError {
    fn from(error: ArchiveEventTypeError) -> Self {
        match error {
            ArchiveEventTypeError::NotFound => ErrorCode::EventTypeNotFound.into(),
            ArchiveEventTypeError::Overtaken => Self::Unavailable(error.into()),
            ArchiveEventTypeError::Store(error) => error.into(),
        }
    }
}

/// Maps a refused publication. `locate` adds the path of the event at an index to a fault.
pub(crate) fn of_publication(error: PublishEventsError, locate: impl Fn(FieldFault, usize) -> FieldFault) -> ApiError {
    match error {
        PublishEventsError::Count => FieldFault::of("events", error).into(),
        PublishEventsError::TooLarge { index, source } => {
            let fault = FieldFault::new("data", format!("is too large: {source}"));
            ApiError::AtFault(ErrorCode::PayloadTooLarge, vec![locate(fault, index)])
        }
        PublishEventsError::Catalogue(PublicationRefusal::UnknownType { index }) => {
            let fault = FieldFault::new("type", "is not in the catalogue of event types");
            ApiError::AtFault(ErrorCode::EventTypeUnknown, vec![locate(fault, index)])
        }
        PublishEventsError::Catalogue(PublicationRefusal::Invalid { index, faults }) => {
            let fault = FieldFault::new("data", "breaks the schema of its type");
            ApiError::EventInvalid(locate(fault, index), faults.iter().map(SchemaFaultRecord::of).collect())
        }
        PublishEventsError::Conflict { index } => {
            let fault = FieldFault::new("id", "was published before with another type or other data");
            ApiError::AtFault(ErrorCode::EventConflict, vec![locate(fault, index)])
        }
        PublishEventsError::Catalogue(PublicationRefusal::Store(error)) | PublishEventsError::Store(error) => {
            error.into()
        }
    }
}

/// The fault of options that do not fit together, or do not fit the URL.
pub(crate) fn of_options(error: InvalidOptions) -> FieldFault {
    let field = match error {
        InvalidOptions::Pulled { field } => field,
        InvalidOptions::NotOrdered => "onExhausted",
        InvalidOptions::WithoutTls => "clientCertificate",
        InvalidOptions::TooMany | InvalidOptions::TooLong | InvalidOptions::SameAsAuth => "headers",
    };
    FieldFault::of(field, error)
}

/// The fault in a filter, at its part.
pub(crate) fn of_filter(invalid: InvalidFilter) -> FieldFault {
    FieldFault::new(invalid.place, invalid.rule.to_string())
}

/// Maps a list of event names that is not valid.
pub(crate) fn of_subscribed_events(error: InvalidSubscribedEvents) -> FieldFault {
    let detail = match error {
        InvalidSubscribedEvents::Count => error.to_string(),
        InvalidSubscribedEvents::Name { index, source } => format!("at index {index}: {source}"),
    };
    FieldFault::new("events", detail)
}
