use std::io::{self, Read as _};

use actix_web::http::StatusCode;
use actix_web::http::header::{
    self, AcceptEncoding, ContentEncoding, ETag, Encoding, EntityTag, Header as _, IfNoneMatch,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use flate2::read::GzDecoder;

/// What `build.rs` packed: the version of all files together, and the files.
mod packed {
    use super::File;

    include!(concat!(env!("OUT_DIR"), "/packed.rs"));
}

pub(crate) use packed::VERSION;

/// A file that browsers load.
pub(crate) struct File {
    /// Below the folder `web`.
    path: &'static str,
    content_type: &'static str,
    /// Made from the content.
    tag: &'static str,
    gzip: &'static [u8],
}

impl File {
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        packed::FILES.iter().find(|file| file.path == path)
    }

    /// Adds the file to an answer: compressed if the client accepts that, and only its tag if the client has the file.
    pub(crate) fn answer(&self, request: &HttpRequest, mut answer: HttpResponseBuilder) -> HttpResponse {
        // Weak, because both forms have the same tag.
        let tag = EntityTag::new_weak(self.tag.to_owned());
        answer.insert_header((header::VARY, "accept-encoding")).insert_header(ETag(tag.clone()));
        if is_known(request, &tag) {
            return answer.status(StatusCode::NOT_MODIFIED).finish();
        }
        answer.content_type(self.content_type);
        if accepts_gzip(request) {
            answer.insert_header(ContentEncoding::Gzip);
            return answer.body(Bytes::from_static(self.gzip));
        }
        match self.plain() {
            Ok(plain) => answer.body(plain),
            Err(_) => HttpResponse::InternalServerError().finish(),
        }
    }

    /// The file as it is in `web`. Every browser takes it compressed, so the binary has it in that form only.
    fn plain(&self) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        GzDecoder::new(self.gzip).read_to_end(&mut plain)?;
        Ok(plain)
    }
}

fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|known| known.weak_eq(tag)),
        Err(_) => false,
    }
}

fn accepts_gzip(request: &HttpRequest) -> bool {
    let offered = [Encoding::gzip(), Encoding::identity()];
    let accepted = AcceptEncoding::parse(request).ok();
    accepted.and_then(|accepted| accepted.negotiate(offered.iter())) == Some(Encoding::gzip())
}
