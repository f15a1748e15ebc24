use crate::bodies::fields::Fields;
use crate::bodies::unknown_members::unless_unknown;
use crate::credentials::presented::Presented;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;

/// The fields of a body that the call knows, and the faults of all other members. See decision 106.
#[derive(Default)]
pub(crate) struct JsonBody {
    fields: Fields,
    unknown: Vec<FieldFault>,
}

impl JsonBody {
    /// A body whose members may have only these names.
    pub(crate) fn new(mut fields: Fields, known: &[String]) -> Self {
        let unknown = fields.take_unknown(known).faults(known);
        Self { fields, unknown }
    }

    /// A body whose unknown fields are ignored.
    pub(crate) fn open(fields: Fields) -> Self {
        Self { fields, unknown: Vec::new() }
    }

    /// Parses the known fields with `parse`. Unknown members are refused, together with the faults that `parse` finds.
    pub(crate) fn read<'a, T, E: Into<ApiError>>(
        &'a self,
        parse: impl FnOnce(&'a Fields) -> Result<T, E>,
    ) -> Result<T, ApiError> {
        unless_unknown(self.unknown.clone(), parse(&self.fields).map_err(Into::into))
    }

    /// The ID token in the field `idToken`.
    pub(crate) fn id_token(&self) -> Presented<&str> {
        self.fields.id_token()
    }
}
