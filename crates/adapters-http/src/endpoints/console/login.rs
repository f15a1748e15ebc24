use actix_web::http::header;
use actix_web::web::{Data, Query};
use actix_web::{HttpRequest, HttpResponse};
use domain::sessions::{ReturnPath, SIGN_IN_MAX};

use crate::documents::responses::documented_errors;
use crate::errors::api_error::ApiError;
use crate::state::State;

/// Begins to sign in.
///
/// Leads the browser to the identity provider (the authorization code flow with PKCE), and keeps what the answer must
/// match in an encrypted cookie for ten minutes.
#[utoipa::path(
    get,
    path = "/console/login",
    tag = "Sessions",
    operation_id = "signIn",
    params(("next" = Option<String>, Query,
        description = "The page to show afterwards: a path under `/console/`. Anything else leads to `/console/`")),
    responses((status = 303, description = "Leads to the identity provider"), Errors),
)]
pub(super) async fn login(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    // The provider's answer comes without this cookie: it is a navigation from another site.
    let session = state.cookies.read_session(request.headers()).one();
    let begun = state.api.sign_in.begin(next(request.query_string()), session)?;
    Ok(HttpResponse::SeeOther()
        .insert_header((header::LOCATION, begun.url))
        .insert_header(state.cookies.sign_in.set(&begun.sealed, SIGN_IN_MAX.as_secs()))
        .finish())
}

/// The page that a link asks for, or the home page. Anybody can make such a link.
fn next(query: &str) -> ReturnPath {
    let parameters = Query::<Vec<(String, String)>>::from_query(query).map(Query::into_inner).unwrap_or_default();
    let next = parameters.iter().find(|(name, _)| name == "next");
    next.and_then(|(_, path)| ReturnPath::parse(path)).unwrap_or_default()
}

documented_errors!(Errors: );
