use std::future::Future;

use actix_web::rt;

use crate::errors::api_error::ApiError;

/// Runs a call that consists of several steps in a separate task, which completes even if the client disconnects. The
/// web server drops the future of a request whose client has gone.
pub(crate) async fn to_the_end<T: 'static>(
    call: impl Future<Output = Result<T, ApiError>> + 'static,
) -> Result<T, ApiError> {
    rt::spawn(call).await.unwrap_or_else(|error| Err(ApiError::Internal(error.into())))
}
