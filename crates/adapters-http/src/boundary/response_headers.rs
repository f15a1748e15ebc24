use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderName, HeaderValue};

/// For data: the browser loads nothing and shows nothing in a frame.
const POLICY_OF_DATA: &str = "default-src 'none'; frame-ancestors 'none'";
/// For plain pages with an inline style: no script, and nothing from other origins.
const POLICY_OF_PAGES: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the headers of every answer, unless the endpoint set them: no caching (most answers hold a key, a list or a
/// verdict), no content sniffing, no framing.
pub(crate) fn add_defaults(response: &mut HttpResponse) {
    let headers = response.headers_mut();
    let is_page =
        headers.get(header::CONTENT_TYPE).is_some_and(|media_type| media_type.as_bytes().starts_with(b"text/html"));
    let policy = if is_page { POLICY_OF_PAGES } else { POLICY_OF_DATA };
    let defaults: [(HeaderName, &'static str); 4] = [
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in defaults {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
}
