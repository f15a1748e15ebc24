use actix_web::HttpResponse;
use actix_web::dev::RequestHead;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};

const ALLOWED_METHODS: &str = "GET, POST, PUT, PATCH, DELETE";
const ALLOWED_HEADERS: &str =
    "authorization, content-type, idempotency-key, last-event-id, x-api-key, x-id-token, x-request-id";
const EXPOSED_HEADERS: &str = "x-request-id, www-authenticate, retry-after";
const PREFLIGHT_VARIES_BY: &str = "origin, access-control-request-method, access-control-request-headers";
/// How long a browser may cache the answer to a preflight.
const PREFLIGHT_AGE_SECONDS_MAX: &str = "600";

/// Allows pages of the configured origins to call `/api` (the CORS protocol of the Fetch standard).
///
/// This is not the usual middleware, because that one answers every preflight, and the contract requires a 405 for
/// some. Clients send credentials in headers, so `Access-Control-Allow-Credentials` is never sent.
#[derive(Clone, Debug)]
pub(crate) struct CrossOrigin {
    origins: Vec<String>,
}

/// The result of the CORS check of one request.
#[derive(Debug)]
pub(crate) enum CorsVerdict {
    /// CORS does not apply: no origin is configured, or the path is not under `/api`.
    Silent,
    /// The request has no origin, or one that is not configured. The answer only says that it varies by origin.
    Stranger,
    /// A call from a page of this configured origin.
    Allowed(HeaderValue),
    /// A preflight from a page of this configured origin.
    Preflight(HeaderValue),
}

impl CrossOrigin {
    pub(crate) fn new(origins: &[String]) -> Self {
        Self { origins: origins.iter().map(|origin| origin.trim_end_matches('/').to_ascii_lowercase()).collect() }
    }

    pub(crate) fn judge(&self, head: &RequestHead) -> CorsVerdict {
        if self.origins.is_empty() || !head.uri.path().starts_with("/api/") {
            return CorsVerdict::Silent;
        }
        let origin = head.headers().get(header::ORIGIN);
        let Some(origin) =
            origin.filter(|origin| self.origins.iter().any(|known| origin.as_bytes() == known.as_bytes()))
        else {
            return CorsVerdict::Stranger;
        };
        let asks = head.method == Method::OPTIONS && head.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if asks { CorsVerdict::Preflight(origin.clone()) } else { CorsVerdict::Allowed(origin.clone()) }
    }
}

impl CorsVerdict {
    /// The answer to a preflight; `None` for other requests.
    pub(crate) fn preflight_response(&self) -> Option<HttpResponse> {
        let Self::Preflight(_) = self else {
            return None;
        };
        let mut response = HttpResponse::NoContent();
        response
            .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, ALLOWED_METHODS))
            .insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS))
            .insert_header((header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_AGE_SECONDS_MAX));
        Some(response.finish())
    }

    /// Adds the headers that the browser requires.
    pub(crate) fn add_headers(self, response: &mut HttpResponse) {
        let headers = response.headers_mut();
        match self {
            Self::Silent => {}
            Self::Stranger => headers.append(header::VARY, HeaderValue::from_static("origin")),
            Self::Allowed(origin) => {
                headers.append(header::VARY, HeaderValue::from_static("origin"));
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED_HEADERS));
            }
            Self::Preflight(origin) => {
                headers.append(header::VARY, HeaderValue::from_static(PREFLIGHT_VARIES_BY));
                headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            }
        }
    }
}
