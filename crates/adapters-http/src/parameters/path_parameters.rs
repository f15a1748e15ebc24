use actix_web::FromRequest;
use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::web::Path;
use serde::Deserialize;

/// The percent-decoded parameters of a path. Parameters that the path does not have are `None`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PathParameters {
    pub(crate) id: Option<String>,
    pub(crate) key_id: Option<String>,
    pub(crate) user_id: Option<String>,
}

impl PathParameters {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let extracted = Path::<Self>::from_request(request, &mut Payload::None).into_inner();
        extracted.map(Path::into_inner).unwrap_or_default()
    }
}
