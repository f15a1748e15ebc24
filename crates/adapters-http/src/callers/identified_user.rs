use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::UserId;

use crate::callers::id_token::identify;
use crate::credentials::headers::id_token_in;
use crate::errors::api_error::ApiError;
use crate::state::State;

/// The user of an ID token in the headers. API keys are refused.
pub(crate) struct IdentifiedUser(pub(crate) UserId);

impl FromRequest for IdentifiedUser {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let user = identify(&request, id_token_in(request.headers())).await?;
            State::of(&request).count_call_of(&user)?;
            Ok(Self(user))
        })
    }
}
