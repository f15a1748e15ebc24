use actix_web::HttpResponse;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use url::{Host, Url};

use crate::loopback::{is_loopback, is_on_loopback};

/// The headers of every answer. They forbid caching, framing, content sniffing and loading. The referrer policy is
/// `same-origin` and not `no-referrer`, under which browsers would send the login form with `Origin: null`.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "same-origin"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    ),
];

/// Accepts only callers on this machine.
pub(super) async fn loopback_only<B: MessageBody>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B>>, actix_web::Error> {
    let is_local = request.peer_addr().is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    let mut response = if is_local && is_for_this_machine(request.headers()) {
        next.call(request).await?.map_into_left_body()
    } else {
        let refusal = HttpResponse::Forbidden()
            .content_type("text/plain; charset=utf-8")
            .body("The development identity provider only answers this machine.\n");
        request.into_response(refusal).map_into_right_body()
    };
    for (name, value) in SECURITY_HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Whether the request is addressed to loopback, and neither forwarded by a proxy nor made by a foreign page. A proxy that
/// adds no header and changes `Host` cannot be seen.
pub fn is_for_this_machine(headers: &HeaderMap) -> bool {
    // With a name that resolves to 127.0.0.1, a foreign page has the same origin as this server (DNS rebinding). The
    // Host header shows it.
    let mut hosts = headers.get_all(header::HOST);
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    host.to_str().is_ok_and(is_loopback_authority)
        && headers.get_all(header::ORIGIN).all(|origin| origin.to_str().is_ok_and(is_loopback_origin))
        && !headers.keys().any(|name| is_of_proxy(name.as_str()))
}

/// Whether only proxies send this header.
fn is_of_proxy(name: &str) -> bool {
    name.starts_with("x-forwarded-") || ["forwarded", "via", "x-real-ip"].contains(&name)
}

/// `host` or `host:port`.
fn is_loopback_authority(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') && port.parse::<u16>().is_ok() => host,
        Some((_, port)) if !port.ends_with(']') => return false,
        _ => authority,
    };
    Host::parse(host).is_ok_and(|parsed| is_loopback(&parsed) && is_written_plainly(host))
}

/// `0x7f.1` and `①27.0.0.1` parse as addresses as well; no honest client writes them.
fn is_written_plainly(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host == "[::1]" || host.parse::<std::net::Ipv4Addr>().is_ok()
}

fn is_loopback_origin(origin: &str) -> bool {
    Url::parse(origin).is_ok_and(|url| is_on_loopback(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        for here in ["localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "127.1.2.3:1"]
        {
            assert!(is_loopback_authority(here), "{here}");
        }
        for elsewhere in [
            "",
            ":8080",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example:8080@localhost",
            "localhost:8080:9090",
            "localhost:port",
            "localhost:",
            "0.0.0.0:8080",
            "10.0.0.1",
            "[::]",
            "::1",
            "0x7f.1",
            "2130706433",
        ] {
            assert!(!is_loopback_authority(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn headers_of_others() {
        let with = |headers: &[(&'static str, &'static str)]| {
            let pairs =
                headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            let mut map = HeaderMap::new();
            pairs.for_each(|(name, value)| map.append(name, value));
            is_for_this_machine(&map)
        };
        let host = ("host", "localhost:8080");
        assert!(with(&[host]));
        assert!(with(&[host, ("origin", "http://127.0.0.1:5173")]));
        assert!(!with(&[]));
        assert!(!with(&[host, host]));
        assert!(!with(&[host, ("origin", "https://evil.example")]));
        assert!(!with(&[host, ("origin", "null")]));
        assert!(!with(&[host, ("x-forwarded-for", "203.0.113.1")]));
        assert!(!with(&[host, ("forwarded", "for=203.0.113.1")]));
        assert!(!with(&[host, ("x-forwarded-proto", "https")]));
        assert!(!with(&[host, ("x-forwarded-prefix", "/gatepost")]));
        assert!(!with(&[host, ("x-real-ip", "203.0.113.1")]));
        assert!(!with(&[host, ("via", "1.1 proxy")]));
        assert!(with(&[host, ("x-forward", "1"), ("x-request-id", "1")]));
    }
}
