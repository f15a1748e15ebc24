use domain::ports::NotReady;
use serde::Serialize;
use utoipa::ToSchema;

/// The outcome of a readiness check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct CheckOutcome {
    /// The name of the check.
    #[schema(example = "database")]
    name: &'static str,
    /// Whether the check passed.
    status: CheckStatus,
    /// Why the check failed; absent when it passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<&'static str>,
}

/// Whether a check passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CheckStatus {
    /// The check passed.
    Ok,
    /// The check failed.
    Failed,
}

impl CheckOutcome {
    pub(crate) fn of(name: &'static str, checked: Result<(), NotReady>) -> Self {
        match checked {
            Ok(()) => Self { name, status: CheckStatus::Ok, detail: None },
            Err(not_ready) => Self { name, status: CheckStatus::Failed, detail: Some(not_ready.summary) },
        }
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status == CheckStatus::Ok
    }
}
