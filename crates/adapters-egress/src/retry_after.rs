use std::time::{Duration, UNIX_EPOCH};

use domain::Timestamp;
use http::HeaderMap;
use http::header::RETRY_AFTER;

/// The wait in `Retry-After`, counted from `at`: seconds, or an HTTP date (RFC 9110, section 10.2.3). A date in the
/// past means no wait. A value that is neither is ignored.
pub(crate) fn retry_after(headers: &HeaderMap, at: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::from(u32::MAX))));
    }
    let date = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    let now = Duration::from_millis(u64::try_from(at.unix_millis()).unwrap_or(0));
    Some(date.saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn reads_seconds_and_dates_and_nothing_else() {
        let at = Timestamp::parse_rfc3339("2026-11-21T01:42:03.500Z").unwrap();
        for (text, millis) in [
            ("0", Some(0)),
            ("120", Some(120_000)),
            (" 5 ", Some(5_000)),
            ("99999999999999999999", Some(u64::from(u32::MAX) * 1_000)),
            ("Sat, 21 Nov 2026 01:43:03 GMT", Some(59_500)),
            ("Saturday, 21-Nov-26 01:43:03 GMT", Some(59_500)),
            ("Sat, 21 Nov 2026 01:42:03 GMT", Some(0)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("Sat, 21 Nov 2026 25:43:03 GMT", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))]);
            assert_eq!(retry_after(&headers, at), millis.map(Duration::from_millis), "{text:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), at), None);
    }
}
