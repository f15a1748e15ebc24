use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;

/// The largest piece of a body that is handed to the framework at once. The framework copies a piece into the
/// connection's write buffer, where a piece stays until the client reads it.
const PIECE_BYTES_MAX: usize = 16 * 1024;

/// A body that is handed to the framework in pieces, so that a client that does not read costs little memory.
struct LargeBody(Bytes);

/// Hands a large body to the framework in pieces. Small bodies and streams stay as they are.
pub(super) fn in_pieces(body: BoxBody) -> BoxBody {
    match body.size() {
        BodySize::Sized(size) if size > PIECE_BYTES_MAX as u64 => {
            body.try_into_bytes().map_or_else(|body| body, |bytes| BoxBody::new(LargeBody(bytes)))
        }
        _ => body,
    }
}

impl MessageBody for LargeBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.0.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let piece = self.0.len().min(PIECE_BYTES_MAX);
        Poll::Ready(Some(Ok(self.0.split_to(piece))))
    }

    // No `try_into_bytes`: `BoxBody::new` would turn the pieces into one again.
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use super::*;

    #[tokio::test]
    async fn a_large_body_comes_in_pieces_and_whole() {
        let bytes = Bytes::from((0..100_000_u32).flat_map(u32::to_be_bytes).collect::<Vec<u8>>());
        let body = in_pieces(BoxBody::new(bytes.clone()));
        assert_eq!(body.size(), BodySize::Sized(bytes.len() as u64));
        let mut body = pin!(body);
        let mut received = Vec::new();
        while let Some(piece) = poll_fn(|context| body.as_mut().poll_next(context)).await {
            let piece = piece.unwrap();
            assert!(piece.len() <= PIECE_BYTES_MAX, "{}", piece.len());
            received.extend_from_slice(&piece);
        }
        assert_eq!(received, bytes);
    }
}
