use actix_web::web::Json;
use domain::KeyChange;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::key_fields::{label, metadata_patch, rate_limit_of_key};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::FieldFault;
use crate::records::key_record::KeyRecord;
use crate::records::metadata::metadata_patch_schema;

/// Fields that must not be `null`, because no default could take the place of their value.
const WITHOUT_DEFAULT: [&str; 3] = ["label", "disabled", "expiresAt"];

/// The changes. Absent fields do not change.
#[derive(ToSchema)]
#[schema(as = ChangeApiKey, example = json!({"disabled": true}))]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The new name of the key: 1 to 100 characters after trimming, no control characters.
    #[schema(required = false, example = "CI deploy", min_length = 1)]
    label: String,
    /// The names to set, and with `null` those to remove. Other names stay. `null` in place of the object removes all.
    #[schema(schema_with = metadata_patch_schema, required = false)]
    metadata: (),
    /// How often the key may be used, such as `100/s`. `null`: the limit of the service.
    #[schema(rename = "rateLimit", example = "100/s")]
    rate_limit: Option<String>,
    /// Whether the key is refused until it is enabled again. A disabled key counts against the maximum.
    #[schema(required = false)]
    disabled: bool,
    /// An earlier end of the key: RFC 3339, in the future. A key never ends later than before.
    #[schema(rename = "expiresAt", required = false, format = DateTime)]
    expires_at: String,
    /// The ID token, if no header carries it.
    #[schema(rename = "idToken", required = false)]
    id_token: String,
}

/// Changes an API key.
///
/// The scopes never change. A disabled key is refused as a revoked one is: here at once, and by other instances within a
/// second.
#[utoipa::path(
    patch,
    path = "/api/api-keys/{keyId}",
    tag = "API keys",
    operation_id = "changeApiKey",
    request_body = Body,
    responses((status = 200, description = "The changed key", body = KeyRecord), Errors),
)]
pub(super) async fn change_key(mut call: OwnerCall) -> Result<Json<KeyRecord>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let change = body.read(parse)?;
        let keys = &call.api().keys;
        let changed = keys.change(call.owner(), call.id()?, change, &call.origin()).await?;
        Ok(Json(KeyRecord::of(changed)))
    })
    .await
}

/// Reads all fields before it fails, so that the error reports every fault at once.
fn parse(fields: &Fields) -> Result<KeyChange, ApiError> {
    let nulls = WITHOUT_DEFAULT.into_iter().filter(|name| fields.is_null(name));
    let mut faults: Vec<FieldFault> = nulls.map(|name| FieldFault::new(name, "must not be null")).collect();
    let (disabled, expires_at) = (fields.optional_flag("disabled"), fields.optional_time("expiresAt"));
    match (label(fields), metadata_patch(fields), rate_limit_of_key(fields), disabled, expires_at) {
        (Ok(label), Ok(metadata), Ok(rate_limit), Ok(is_disabled), Ok(expires_at)) if faults.is_empty() => {
            Ok(KeyChange { label, metadata, rate_limit, is_disabled, expires_at })
        }
        (label, metadata, rate_limit, disabled, expires_at) => {
            let of_values = [label.err(), metadata.err(), rate_limit.err(), disabled.err(), expires_at.err()];
            faults.extend(of_values.into_iter().flatten());
            Err(ApiError::invalid_fields(faults))
        }
    }
}

documented_errors!(Errors: KeyNotOwned, KeyNotFound, KeyNotChangeable);
