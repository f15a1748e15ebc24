use actix_web::HttpRequest;
use actix_web::web::{Data, Json};
use domain::audit::AuditTarget;

use crate::boundary::exchange::origin_of;
use crate::callers::operator::Operator;
use crate::documents::responses::{OPERATOR_ERRORS, documented_errors};
use crate::endpoints::webhooks::list_deliveries::{Answer, PARAMETERS, answer};
use crate::errors::api_error::ApiError;
use crate::parameters::path_user::PathUser;
use crate::parameters::query::Parameters;
use crate::state::State;

/// Lists the deliveries to a user's webhook subscriptions, newest first, for support work.
///
/// Includes deliveries to deleted subscriptions. A delivery must match all filters. When few deliveries match, a page
/// may be short or empty and still have a `nextCursor`: continue while there is one. The user sees this call in the
/// audit log.
#[utoipa::path(
    get,
    path = "/api/operator/users/{userId}/deliveries",
    tag = "Operator",
    operation_id = "listUserDeliveries",
    security(("operatorToken" = [])),
    params(
        ("userId" = String, Path, description = "The user's `sub` at the configured issuer"),
        ("subscriptionId" = Option<String>, Query, description = "Only deliveries to this subscription"),
        ("eventType" = Option<String>, Query, description = "Only deliveries of events of this type. Not a pattern"),
        ("state" = Option<String>, Query,
            description = "Only deliveries in this state: `waiting`, `sending`, `delivered`, `failed` or `cancelled`"),
        ("since" = Option<String>, Query, description = "Only events published at this time or later: RFC 3339"),
        ("until" = Option<String>, Query, description = "Only events published before this time: RFC 3339"),
        ("cursor" = Option<String>, Query, description = "The `nextCursor` of the previous page; same filters"),
        ("limit" = Option<u32>, Query, description = "Items on a page: 1 to 200, default 50"),
    ),
    responses((status = 200, description = "A page of deliveries to the user", body = Answer), Errors),
)]
pub(super) async fn list_user_deliveries(
    _: Operator,
    state: Data<State>,
    user: PathUser,
    request: HttpRequest,
) -> Result<Json<Answer>, ApiError> {
    let user = user.valid()?;
    let parameters = Parameters::parse(request.query_string(), &PARAMETERS)?;
    state.api.audit.record_read(&user, AuditTarget::Deliveries, &origin_of(&request)).await?;
    answer(&state, &user, &parameters).await
}

documented_errors!(Errors: [OPERATOR_ERRORS], InvalidField);
