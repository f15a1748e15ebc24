use domain::ports::NotReady;
use serde::Serialize;
use utoipa::ToSchema;

/// What a check said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct CheckOutcome {
    /// What was checked.
    #[schema(example = "database")]
    name: &'static str,
    /// Whether it works.
    status: CheckStatus,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    detail: Option<&'static str>,
}

/// Whether what was checked works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CheckStatus {
    /// It works.
    Ok,
    /// It does not.
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
