use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

/// A fault in a field of the body or in a parameter of the query.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(description = "A fault in a field of the body or in a parameter of the query.")]
pub(crate) struct FieldFault {
    /// The field's name, or its path in the body: `events[3].type`.
    #[schema(example = "url")]
    field: Cow<'static, str>,
    /// What the field must be.
    detail: Cow<'static, str>,
}

impl FieldFault {
    pub(crate) fn new(field: impl Into<Cow<'static, str>>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { field: field.into(), detail: detail.into() }
    }

    /// A value that breaks a rule. The detail is the message of the rule.
    pub(crate) fn of(field: &'static str, broken_rule: impl fmt::Display) -> Self {
        Self::new(field, broken_rule.to_string())
    }

    /// The same fault in a member of this field.
    pub(crate) fn inside(self, field: &str) -> Self {
        Self { field: format!("{field}.{}", self.field).into(), ..self }
    }

    /// The same fault in the event at `index` of a body with several events.
    pub(crate) fn of_event(self, index: usize) -> Self {
        Self { field: format!("events[{index}].{}", self.field).into(), ..self }
    }
}

impl fmt::Display for FieldFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.field, self.detail)
    }
}
