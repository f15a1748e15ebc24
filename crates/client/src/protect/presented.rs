use super::Refusal;

/// The API key of a request, from the values of its headers `authorization` and `x-api-key`.
///
/// The rules are those of Gatepost: the scheme is case-insensitive, a scheme other than Bearer is ignored, and several
/// keys must be equal.
///
/// # Errors
///
/// [`Refusal::Missing`] or [`Refusal::Invalid`].
pub fn api_key_in<'a>(
    authorization: impl Iterator<Item = &'a [u8]>,
    x_api_key: impl Iterator<Item = &'a [u8]>,
) -> Result<&'a str, Refusal> {
    let mut presented = authorization.filter_map(bearer).chain(x_api_key).map(readable);
    let first = presented.next().ok_or(Refusal::Missing)??;
    if presented.all(|other| other.is_ok_and(|other| other == first)) { Ok(first) } else { Err(Refusal::Invalid) }
}

/// The token of `Bearer <token>`.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let scheme_length = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
    let (scheme, token) = value.split_at(scheme_length);
    scheme.eq_ignore_ascii_case(b"bearer").then_some(token)
}

/// A header that is present but empty is an invalid credential, not a missing one.
fn readable(value: &[u8]) -> Result<&str, Refusal> {
    let text = std::str::from_utf8(value).map_err(|_| Refusal::Invalid)?.trim();
    if text.is_empty() { Err(Refusal::Invalid) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presented(authorization: &[&'static str], x_api_key: &[&'static str]) -> Result<&'static str, Refusal> {
        api_key_in(authorization.iter().map(|text| text.as_bytes()), x_api_key.iter().map(|text| text.as_bytes()))
    }

    #[test]
    fn a_key_comes_from_two_headers_that_must_agree() {
        for (authorization, x_api_key, expected) in [
            (&[][..], &[][..], Err(Refusal::Missing)),
            (&["Bearer k"], &[], Ok("k")),
            (&["bearer k"], &[], Ok("k")),
            (&["BEARER   k "], &[], Ok("k")),
            (&[], &["k"], Ok("k")),
            (&[], &[" k "], Ok("k")),
            (&["Bearer k"], &["k"], Ok("k")),
            (&["Basic k"], &["k"], Ok("k")),
            (&["Basic k"], &[], Err(Refusal::Missing)),
            (&["Bearerk"], &[], Err(Refusal::Missing)),
            (&["Bearer k"], &["l"], Err(Refusal::Invalid)),
            (&["Bearer k", "Bearer l"], &[], Err(Refusal::Invalid)),
            (&[], &["k", "l"], Err(Refusal::Invalid)),
            (&["Bearer"], &[], Err(Refusal::Invalid)),
            (&["Bearer "], &["k"], Err(Refusal::Invalid)),
            (&["Bearer k"], &[""], Err(Refusal::Invalid)),
        ] {
            assert_eq!(presented(authorization, x_api_key), expected, "{authorization:?} {x_api_key:?}");
        }
        assert_eq!(api_key_in([&b"Bearer \xff"[..]].into_iter(), [].into_iter()), Err(Refusal::Invalid));
    }
}
