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

/// The other cases are in `presented.json` of `clients/conformance`.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_text_are_no_key() {
        assert_eq!(api_key_in([&b"Bearer \xff"[..]].into_iter(), [].into_iter()), Err(Refusal::Invalid));
    }
}
