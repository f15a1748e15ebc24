use std::collections::BTreeSet;
use std::time::Duration;

use actix_web::web::Json;
use domain::OwnerId;
use domain::sessions::{Capability, ReturnUrl, VISIT_DEFAULT, Visit};
use serde::Serialize;
use utoipa::ToSchema;

use crate::bodies::fields::Fields;
use crate::callers::operator::OperatorCall;
use crate::callers::owner::require_unerased;
use crate::errors::api_error::ApiError;
use crate::errors::field_fault::{FieldFault, Together};
use crate::parameters::path::owner_at;

use super::owners::ErasingOwner;

/// What the link is for.
#[derive(ToSchema)]
#[schema(as = CreatePortalLink, min_properties = 1)]
#[expect(dead_code, reason = "describes what `Fields` reads")]
struct Body {
    /// The user who visits, by the `sub` at the configured issuer. Either this or `organizationId` is required.
    #[schema(rename = "userId", example = "alice")]
    user_id: Option<String>,
    /// The organization for which somebody visits, in place of a user.
    #[schema(rename = "organizationId")]
    organization_id: Option<String>,
    /// What the visitor may do: `keys` and `webhooks` to change, `keys:read` and `webhooks:read` only to see. Without the
    /// field: `keys` and `webhooks`.
    #[schema(example = json!(["keys", "webhooks:read"]), min_items = 1)]
    capabilities: Option<Vec<String>>,
    /// The page of your application to which the console leads back.
    #[schema(rename = "returnUrl", example = "https://app.example.com/settings")]
    return_url: Option<String>,
    /// How many seconds the visit lasts at most: 60 to 604,800 (a week). The default is 12 hours.
    #[schema(rename = "ttlSeconds", minimum = 60, default = 43_200)]
    ttl_seconds: Option<u64>,
}

/// The new link.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PortalLink {
    /// Where to send the user's browser. It opens the console once.
    #[schema(example = "https://keys.example.com/console/portal#code")]
    url: String,
    /// When the link stops working.
    #[schema(format = DateTime, example = "2026-11-21T01:47:03.120Z")]
    expires_at: String,
}

/// Makes a link by which a user enters the console without a sign-in.
///
/// Send the browser of a user whom your application has authenticated to the URL at once: it works for five minutes, and
/// once. The user gets a session with these capabilities. At most 10 links of a user or organization wait at a time; one more ends the
/// first.
#[utoipa::path(
    post,
    path = "/api/operator/portal-links",
    request_body = Body,
    responses((status = 200, description = "The link", body = PortalLink), ErasingOwner),
)]
pub(super) async fn create_portal_link(mut call: OperatorCall) -> Result<Json<PortalLink>, ApiError> {
    let body = call.read_body().await?;
    let visit = body.read(|fields| parse(fields, &call.api().issuer))?;
    require_unerased(call.api(), &visit.user).await?;
    let link = call.api().portal_links.create(&visit, &call.origin()).await?;
    // Browsers do not send the fragment to any server, so no log has the code.
    let url = format!("{}/console/portal#{}", call.state().settings.public_url, *link.code);
    Ok(Json(PortalLink { url, expires_at: link.expires_at.to_string() }))
}

fn parse(fields: &Fields, issuer: &str) -> Result<Visit, Vec<FieldFault>> {
    let user = owner(fields, issuer);
    let lifetime = fields.optional_number("ttlSeconds").map(|ttl| ttl.map_or(VISIT_DEFAULT, Duration::from_secs));
    let (user, capabilities, return_url, lifetime) =
        (user, capabilities(fields), return_url(fields), lifetime).together()?;
    Ok(Visit { user, capabilities, lifetime, return_url })
}

fn owner(fields: &Fields, issuer: &str) -> Result<OwnerId, FieldFault> {
    owner_at(issuer, fields.optional_text("userId")?, fields.optional_text("organizationId")?)
}

fn capabilities(fields: &Fields) -> Result<BTreeSet<Capability>, FieldFault> {
    let Some(names) = fields.optional_texts("capabilities")? else {
        return Ok([Capability::Keys, Capability::Webhooks].into());
    };
    let known: Option<BTreeSet<Capability>> = names.into_iter().map(Capability::of_name).collect();
    let allowed = "must be a list of keys, keys:read, webhooks and webhooks:read, with at least one of them";
    known.filter(|known| !known.is_empty()).ok_or(FieldFault::new("capabilities", allowed))
}

fn return_url(fields: &Fields) -> Result<Option<ReturnUrl>, FieldFault> {
    fields.parsed("returnUrl", ReturnUrl::parse)
}
