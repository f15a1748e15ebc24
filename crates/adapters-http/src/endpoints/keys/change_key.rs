use actix_web::web::Json;
use domain::KeyChange;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::bodies::key_fields::{label, metadata_patch, rate_limit_patch};
use crate::callers::owner::OwnerCall;
use crate::documents::responses::documented_errors;
use crate::endpoints::to_the_end;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::records::key_record::{KeyRecord, metadata_patch_schema};

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
    /// How often the key may be used, such as `100/s`. `null`: the limit of its owner's keys.
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
    request_body = Body,
    responses((status = 200, description = "The changed key", body = KeyRecord), Errors),
)]
pub(super) async fn change_api_key(mut call: OwnerCall) -> Result<Json<KeyRecord>, ApiError> {
    let body = call.read_body().await?;
    to_the_end(async move {
        let change = body.read(parse)?;
        let keys = &call.api().keys;
        let changed = keys.change(call.owner(), call.id()?, change, &call.origin()).await?;
        Ok(Json(KeyRecord::of(changed)))
    })
    .await
}

fn parse(fields: &Fields) -> Result<KeyChange, Vec<FieldFault>> {
    let (disabled, expires_at) = (fields.optional_flag("disabled"), fields.optional_time("expiresAt"));
    // `null` stands for the limit of the owner's keys.
    let (metadata, rate_limit) = (metadata_patch(fields), rate_limit_patch(fields, "rateLimit"));
    let read = (without_nulls(fields), label(fields), metadata, rate_limit, disabled, expires_at);
    let ((), label, metadata, rate_limit, is_disabled, expires_at) = read.together()?;
    Ok(KeyChange { label, metadata, rate_limit, is_disabled, expires_at, ..KeyChange::default() })
}

fn without_nulls(fields: &Fields) -> Result<(), Vec<FieldFault>> {
    let nulls = WITHOUT_DEFAULT.into_iter().filter(|name| fields.is_null(name));
    let faults: Vec<FieldFault> = nulls.map(|name| FieldFault::new(name, "must not be null")).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

documented_errors!(Errors: KeyNotOwned, KeyNotFound, KeyNotChangeable);
