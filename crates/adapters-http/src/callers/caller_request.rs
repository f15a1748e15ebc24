use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use domain::UserId;

use crate::bodies::body::read_fields;
use crate::bodies::fields::Fields;
use crate::callers::caller::Caller;
use crate::errors::api_error::ApiError;
use crate::state::State;

/// A caller and the fields of its body. The body is read only when the credential is valid.
pub(crate) struct CallerRequest {
    caller: Caller,
    pub(crate) fields: Fields,
}

impl CallerRequest {
    /// The user on whose behalf the call is made.
    pub(crate) fn user(&self) -> &UserId {
        self.caller.user()
    }
}

impl FromRequest for CallerRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = Caller::extract(&request).await?;
            let fields = read_fields(&request, payload, &State::of(&request).limits).await?;
            Ok(Self { caller, fields })
        })
    }
}
