use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};

use crate::bodies::body::read_body;
use crate::bodies::json_body::JsonBody;
use crate::callers::webhook_caller::WebhookWriter;
use crate::errors::api_error::ApiError;
use crate::state::State;

/// A caller that may change webhooks, and its body. The body is read only when the credential is valid.
pub(crate) struct CallerRequest {
    pub(crate) caller: WebhookWriter,
    pub(crate) body: JsonBody,
}

impl FromRequest for CallerRequest {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = WebhookWriter::extract(&request).await?;
            let body = read_body(&request, payload, &State::of(&request).limits).await?;
            Ok(Self { caller, body })
        })
    }
}
