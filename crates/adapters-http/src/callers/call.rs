use std::future::Future;
use std::mem;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use domain::audit::Origin;
use domain::webhooks::EventType;

use crate::Api;
use crate::bodies::body::{read_body, read_form_or_body, read_json};
use crate::bodies::json_body::JsonBody;
use crate::boundary::exchange::origin_of;
use crate::credentials::presented::Presented;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;
use crate::parameters::path::{NamedInPath, PathParameters};
use crate::parameters::query::Parameters;
use crate::settings::USUAL_BODY_BYTES;
use crate::state::State;

/// A call whose caller is admitted. Handlers read the rest of the request with its methods, so that an error of the
/// credential comes before an error of the path, the query or the body.
pub(crate) struct Call<By> {
    pub(crate) request: HttpRequest,
    pub(crate) by: By,
    body: CallBody,
}

/// A caller, as the credentials of a request show it.
pub(crate) trait Admit: Sized {
    /// The caller, if it may make this call.
    async fn admit(request: &HttpRequest, body: &mut CallBody) -> Result<Self, ApiError>;
}

/// The body of a call.
pub(crate) enum CallBody {
    Unread(Payload),
    /// It was read to find the ID token.
    Read(Result<JsonBody, ApiError>),
}

impl<By: Admit + 'static> FromRequest for Call<By> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, mut body) = (request.clone(), CallBody::Unread(payload.take()));
        Box::pin(async move {
            let by = By::admit(&request, &mut body).await?;
            let mut call = Self { request, by, body };
            call.refuse_what_it_would_ignore().await?;
            Ok(call)
        })
    }
}

impl<By> Call<By> {
    pub(crate) fn state(&self) -> &Data<State> {
        State::of(&self.request)
    }

    pub(crate) fn api(&self) -> &Api {
        &self.state().api
    }

    /// The author, the means and the address of the call, for the audit log.
    pub(crate) fn origin(&self) -> Origin {
        origin_of(&self.request)
    }

    /// The id in the path.
    pub(crate) fn id<T: NamedInPath>(&self) -> Result<T, ApiError> {
        PathParameters::of(&self.request).id()
    }

    /// The event type in the path.
    pub(crate) fn event_type(&self) -> Result<EventType, ErrorCode> {
        PathParameters::of(&self.request).event_type()
    }

    /// The parameters of the query. Only the parameters in the document are known.
    pub(crate) fn parameters(&self) -> Result<Parameters, FieldFault> {
        Parameters::of(&self.request)
    }

    /// The JSON body, of the usual size.
    pub(crate) async fn read_body(&mut self) -> Result<JsonBody, ApiError> {
        self.read_body_of(USUAL_BODY_BYTES).await
    }

    /// Refuses unknown parameters of a change, and members of a body where none is read: they are meant to limit the
    /// effect of the call, and would be ignored. SCIM is not in the document: it lets clients add `attributes` to a change
    /// (RFC 7644, section 3.9).
    async fn refuse_what_it_would_ignore(&mut self) -> Result<(), ApiError> {
        if self.request.method().is_safe() {
            return Ok(());
        }
        let Some(has_body) = self.state().known_names.has_body(&self.request) else { return Ok(()) };
        if !self.request.query_string().is_empty() {
            self.parameters()?;
        }
        if !has_body {
            self.read_body().await?.read(|_| Ok::<_, ApiError>(()))?;
        }
        Ok(())
    }

    /// The JSON body, of at most `size_bytes_max`.
    pub(crate) async fn read_body_of(&mut self, size_bytes_max: usize) -> Result<JsonBody, ApiError> {
        self.body.read(&self.request, size_bytes_max).await
    }

    /// The bytes of a JSON body of at most `size_bytes_max`.
    pub(crate) async fn read_json(&mut self, size_bytes_max: usize) -> Result<Bytes, ApiError> {
        read_json(&self.request, self.body.take_payload(), size_bytes_max).await
    }

    /// A form or a JSON body, of the usual size.
    pub(crate) async fn read_form_or_body(&mut self) -> Result<JsonBody, ApiError> {
        read_form_or_body(&self.request, self.body.take_payload(), USUAL_BODY_BYTES).await
    }
}

impl CallBody {
    /// The ID token in the body. Reads the body, and keeps it or its fault for the handler.
    pub(super) async fn find_id_token(&mut self, request: &HttpRequest) -> Presented<&str> {
        *self = Self::Read(self.read(request, USUAL_BODY_BYTES).await);
        match self {
            Self::Read(Ok(body)) => body.id_token(),
            Self::Read(Err(_)) | Self::Unread(_) => Presented::Nothing,
        }
    }

    async fn read(&mut self, request: &HttpRequest, size_bytes_max: usize) -> Result<JsonBody, ApiError> {
        match mem::replace(self, Self::Unread(Payload::None)) {
            Self::Unread(payload) => read_body(request, payload, size_bytes_max).await,
            Self::Read(read) => read,
        }
    }

    fn take_payload(&mut self) -> Payload {
        match self {
            Self::Unread(payload) => payload.take(),
            Self::Read(_) => Payload::None,
        }
    }
}
