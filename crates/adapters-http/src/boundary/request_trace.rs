use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::HeaderMap;
use domain::{Attribute, OpenSpan, SpanEnd, TraceContext, Traceparent, Tracer};

/// Routes where no trace begins: verifications are too many, and probes have no value. A caller may trace them.
const QUIET_ROUTES: [&str; 5] = ["/forward-auth", "/api/operator/introspect", "/healthz", "/livez", "/readyz"];

/// The span of a request that is traced.
pub(crate) struct RequestTrace {
    tracer: Arc<Tracer>,
    span: OpenSpan,
}

impl RequestTrace {
    /// `None` if the request is not traced. That is decided before anything is built. See decision 83.
    pub(super) fn open(tracer: &Arc<Tracer>, request: &ServiceRequest) -> Option<Self> {
        let caller = caller(request.headers());
        let may_begin = caller.is_none() && !is_quiet(request.path());
        let span = tracer.request(caller, may_begin)?;
        Some(Self { tracer: Arc::clone(tracer), span })
    }

    /// The trace and the span.
    pub(super) fn context(&self) -> TraceContext {
        self.span.context
    }

    /// Records the span of a request that is answered. `has_credential` is true for a good credential. The route is a
    /// template: a client chooses the path, and may put a secret into it.
    pub(super) fn end(
        &self,
        (method, route): (&Method, Option<&str>),
        status: u16,
        duration: Duration,
        has_credential: bool,
    ) {
        let name = route.map_or_else(|| method.to_string(), |route| format!("{method} {route}"));
        let mut attributes: Vec<Attribute> =
            vec![("http.request.method", method.to_string().into()), ("http.response.status_code", status.into())];
        attributes.extend(route.map(|route| ("http.route", route.to_owned().into())));
        let is_error = status >= 500;
        if is_error {
            attributes.push(("error.type", status.to_string().into()));
        }
        let end = SpanEnd { name, duration, attributes, is_error };
        if has_credential { self.tracer.end(self.span, end) } else { self.tracer.end_of_stranger(self.span, end) }
    }
}

/// Whether no trace begins at this path.
fn is_quiet(path: &str) -> bool {
    QUIET_ROUTES.iter().any(|quiet| path.starts_with(quiet))
}

/// The caller's statement about its trace. Several headers count as none, as the standard requires.
fn caller(headers: &HeaderMap) -> Option<Traceparent> {
    let mut given = headers.get_all("traceparent");
    let (first, None) = (given.next()?, given.next()) else { return None };
    first.to_str().ok().and_then(Traceparent::parse)
}
