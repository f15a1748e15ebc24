use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// What is wrong with a field of the body or a parameter of the query.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(description = "What is wrong with a field, wherever it stands.")]
pub(crate) struct FieldFault {
    /// The field's name, or where it stands: `events[3].type`.
    #[schema(example = "url")]
    field: Cow<'static, str>,
    /// What it must be.
    detail: Cow<'static, str>,
}

impl FieldFault {
    pub(crate) fn new(field: impl Into<Cow<'static, str>>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { field: field.into(), detail: detail.into() }
    }

    /// The fault of a value that breaks a rule: the detail is what the rule says.
    pub(crate) fn of(field: &'static str, broken_rule: impl fmt::Display) -> Self {
        Self::new(field, broken_rule.to_string())
    }

    /// The same fault of a field of the event at `index`, in a body with several events.
    pub(crate) fn of_event(self, index: usize) -> Self {
        Self { field: format!("events[{index}].{}", self.field).into(), ..self }
    }
}

impl fmt::Display for FieldFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.field, self.detail)
    }
}
