use actix_web::dev::RequestHead;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName, HeaderValue};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Decides whether a page of this service made a request, so that no other page can act with the cookie of a browser.
#[derive(Clone, Debug)]
pub(crate) struct OwnOrigin(String);

impl OwnOrigin {
    /// The origin of the URL at which browsers find the service.
    pub(crate) fn of(public_url: &str) -> Self {
        let host = public_url.find("://").map_or(0, |colon| colon + 3);
        let end = public_url[host..].find('/').map_or(public_url.len(), |slash| host + slash);
        Self(public_url[..end].to_ascii_lowercase())
    }

    /// Whether the origin is `https`.
    pub(crate) fn is_secure(&self) -> bool {
        self.0.starts_with("https://")
    }

    /// Whether the request only reads, or a page of this origin made it. Browsers send the origin in `Sec-Fetch-Site`,
    /// older ones in `Origin`. A request without both is not a page's.
    pub(crate) fn allows(&self, head: &RequestHead) -> bool {
        if matches!(head.method, Method::GET | Method::HEAD | Method::OPTIONS) {
            return true;
        }
        let only = |name: HeaderName| {
            let mut values = head.headers().get_all(name);
            values.next().filter(|_| values.next().is_none()).map(HeaderValue::as_bytes)
        };
        match (head.headers().contains_key(SEC_FETCH_SITE), head.headers().contains_key(header::ORIGIN)) {
            (true, _) => only(SEC_FETCH_SITE) == Some(b"same-origin"),
            (false, true) => only(header::ORIGIN) == Some(self.0.as_bytes()),
            (false, false) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn allows(method: Method, headers: &[(&'static str, &'static str)]) -> bool {
        let request = headers
            .iter()
            .fold(TestRequest::default().method(method), |request, header| request.append_header(*header));
        OwnOrigin::of("https://Keys.example:8443/gate").allows(request.to_http_request().head())
    }

    #[test]
    fn what_changes_something_needs_the_same_origin() {
        let (site, origin) = ("sec-fetch-site", "origin");
        let table: [(&[(&str, &str)], bool); 13] = [
            (&[(site, "same-origin")], true),
            (&[(origin, "https://keys.example:8443")], true),
            (&[(site, "same-origin"), (origin, "https://evil.example")], true), // a browser sets the first one itself
            (&[], false),
            (&[(site, "cross-site")], false),
            (&[(site, "same-site")], false),
            (&[(site, "none")], false),
            (&[(site, "cross-site"), (origin, "https://keys.example:8443")], false),
            (&[(site, "same-origin"), (site, "cross-site")], false),
            (&[(origin, "https://evil.example")], false),
            (&[(origin, "https://keys.example")], false),
            (&[(origin, "http://keys.example:8443")], false),
            (&[(origin, "null")], false),
        ];
        for (headers, allowed) in table {
            for method in [Method::POST, Method::PATCH, Method::PUT, Method::DELETE] {
                assert_eq!(allows(method, headers), allowed, "{headers:?}");
            }
            assert!(allows(Method::GET, headers), "{headers:?}");
        }
    }

    #[test]
    fn an_origin_is_a_url_without_its_path() {
        for (url, origin) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://keys.example/gate/post", "https://keys.example"),
            ("https://keys.example/", "https://keys.example"),
        ] {
            assert_eq!(OwnOrigin::of(url).0, origin);
        }
        assert!(OwnOrigin::of("https://keys.example").is_secure() && !OwnOrigin::of("http://keys.example").is_secure());
    }
}
