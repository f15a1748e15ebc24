use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::http::header::{self, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::time::timeout;

use crate::HttpLimits;
use crate::error::ApiError;
use crate::fields::Fields;

/// Reads a JSON body within its limits. No body at all counts as no fields.
pub(crate) async fn read_fields(
    request: &HttpRequest,
    payload: Payload,
    limits: &HttpLimits,
) -> Result<Fields, ApiError> {
    let body = read(request, payload, limits).await?;
    if body.is_empty() {
        return Ok(Fields::default());
    }
    if is_json(request.headers()) { Fields::parse(&body) } else { Err(ApiError::UnsupportedMediaType) }
}

/// The same, where a form is taken as well as JSON.
pub(crate) async fn read_form_or_fields(
    request: &HttpRequest,
    payload: Payload,
    limits: &HttpLimits,
) -> Result<Fields, ApiError> {
    if !is_form(request.headers()) {
        return read_fields(request, payload, limits).await;
    }
    Fields::parse_form(&read(request, payload, limits).await?)
}

async fn read(request: &HttpRequest, payload: Payload, limits: &HttpLimits) -> Result<Bytes, ApiError> {
    if declared_length(request.headers()).is_some_and(|length| length > limits.body_size_bytes_max as u64) {
        return Err(ApiError::PayloadTooLarge);
    }
    let body = timeout(limits.body_deadline, collect(payload, limits.body_size_bytes_max)).await;
    body.map_err(|_| ApiError::RequestTimeout)?
}

async fn collect(mut payload: Payload, size_bytes_max: usize) -> Result<Bytes, ApiError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| ApiError::BodyBroken)?;
        if body.len() + chunk.len() > size_bytes_max {
            return Err(ApiError::PayloadTooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether the body is declared as JSON (`application/json`, or a type built on it: RFC 6839), and not compressed.
fn is_json(headers: &HeaderMap) -> bool {
    let essence = media_type(headers);
    let is_json = essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    is_json && is_plain(headers)
}

fn is_form(headers: &HeaderMap) -> bool {
    media_type(headers) == "application/x-www-form-urlencoded" && is_plain(headers)
}

/// The media type of the body without its parameters, in lower case.
fn media_type(headers: &HeaderMap) -> String {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_plain(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity")
}
