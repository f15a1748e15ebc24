use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::bodies::fields::Fields;
use crate::bodies::json_body::JsonBody;
use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::settings::transfer_time;
use crate::state::State;

/// Bodies that say nothing. Some clients send `null` or `{}` in place of an empty body.
const NOTHING: [&[u8]; 3] = [b"", b"null", b"{}"];

/// Reads a JSON body of at most this size, within its time. An empty body has no fields.
pub(crate) async fn read_body(request: &HttpRequest, payload: Payload, bytes_max: usize) -> Result<JsonBody, ApiError> {
    let names = &State::of(request).known_names;
    let body = read(request, payload, bytes_max).await?;
    let is_nothing = names.has_body(request) == Some(false) && NOTHING.contains(&body.trim_ascii());
    let body = if is_nothing { Bytes::new() } else { json(request, body)? };
    Ok(JsonBody::new(Fields::parse(&body)?, names.members_of(request)))
}

/// Reads the bytes of a JSON body in the same way. The body may be empty.
pub(crate) async fn read_json(request: &HttpRequest, payload: Payload, bytes_max: usize) -> Result<Bytes, ApiError> {
    json(request, read(request, payload, bytes_max).await?)
}

fn json(request: &HttpRequest, body: Bytes) -> Result<Bytes, ApiError> {
    if body.is_empty() || is_json(request.headers()) { Ok(body) } else { Err(ErrorCode::UnsupportedMediaType.into()) }
}

/// Reads a form or a JSON body in the same way. Parameters of a form that are unknown are ignored, as RFC 7662 and its
/// extensions have it.
pub(crate) async fn read_form_or_body(
    request: &HttpRequest,
    payload: Payload,
    bytes_max: usize,
) -> Result<JsonBody, ApiError> {
    if !is_form(request.headers()) {
        return read_body(request, payload, bytes_max).await;
    }
    Ok(JsonBody::open(Fields::parse_form(&read(request, payload, bytes_max).await?)?))
}

async fn read(request: &HttpRequest, payload: Payload, bytes_max: usize) -> Result<Bytes, ApiError> {
    let length = declared_length(request.headers()).unwrap_or(0);
    if length > bytes_max as u64 {
        return Err(ErrorCode::PayloadTooLarge.into());
    }
    let time = State::of(request).settings.limits.body_deadline + transfer_time(length);
    let body = timeout(time, collect(payload, bytes_max)).await;
    body.map_err(|_| ErrorCode::RequestTimeout)?
}

async fn collect(mut payload: Payload, bytes_max: usize) -> Result<Bytes, ApiError> {
    let mut body = Bytes::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| ErrorCode::BadRequest)?;
        if body.len() + chunk.len() > bytes_max {
            return Err(ErrorCode::PayloadTooLarge.into());
        }
        // A small body arrives in one chunk, which is not copied.
        body = if body.is_empty() { chunk } else { joined(body, &chunk) };
    }
    Ok(body)
}

/// Appends a chunk. Appends in place if the buffer is not shared.
fn joined(begun: Bytes, chunk: &[u8]) -> Bytes {
    let mut joined = BytesMut::from(begun);
    joined.extend_from_slice(chunk);
    joined.freeze()
}

/// The length of the body that the headers announce.
pub(crate) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether the headers declare a JSON body (`application/json`, or a `+json` type: RFC 6839) that is not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let (kind, subtype) = media_type(headers).split_once('/').unwrap_or_default();
    let suffix = subtype.rsplit_once('+').map_or(subtype, |(_, suffix)| suffix);
    kind.eq_ignore_ascii_case("application") && suffix.eq_ignore_ascii_case("json") && is_plain(headers)
}

fn is_form(headers: &HeaderMap) -> bool {
    media_type(headers).eq_ignore_ascii_case("application/x-www-form-urlencoded") && is_plain(headers)
}

/// The media type of the body, without its parameters. It is case-insensitive (RFC 9110, section 8.3.1).
fn media_type(headers: &HeaderMap) -> &str {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim()
}

fn is_plain(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity")
}
