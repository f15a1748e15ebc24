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

impl From<FieldFault> for Vec<FieldFault> {
    fn from(fault: FieldFault) -> Self {
        vec![fault]
    }
}

/// Fields that were read one by one.
pub(crate) trait Together {
    type Values;

    /// The values of all fields, or the faults of all fields in their order, so that an error reports every fault at once.
    fn together(self) -> Result<Self::Values, Vec<FieldFault>>;
}

/// Tuples of up to eight fields. The error of each is a fault, or several.
macro_rules! implement_together {
    ($($field:ident $Fault:ident),*) => {
        #[expect(non_camel_case_types, reason = "a field gives its name to its type")]
        impl<$($field, $Fault: Into<Vec<FieldFault>>),*> Together for ($(Result<$field, $Fault>,)*) {
            type Values = ($($field,)*);

            fn together(self) -> Result<Self::Values, Vec<FieldFault>> {
                match self {
                    ($(Ok($field),)*) => Ok(($($field,)*)),
                    ($($field,)*) => Err([$($field.err().map_or_else(Vec::new, Into::into)),*].concat()),
                }
            }
        }
    };
}

implement_together!(a A, b B);
implement_together!(a A, b B, c C);
implement_together!(a A, b B, c C, d D);
implement_together!(a A, b B, c C, d D, e E);
implement_together!(a A, b B, c C, d D, e E, f F);
implement_together!(a A, b B, c C, d D, e E, f F, g G);
implement_together!(a A, b B, c C, d D, e E, f F, g G, h H);

impl fmt::Display for FieldFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.field, self.detail)
    }
}
