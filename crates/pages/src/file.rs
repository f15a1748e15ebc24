use std::borrow::Cow;
use std::io::{self, Read as _};
use std::sync::OnceLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    self, AcceptEncoding, ContentEncoding, ETag, Encoding, EntityTag, Header as _, IfNoneMatch,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use flate2::read::GzDecoder;

/// A file that browsers load.
#[derive(Debug)]
pub struct File {
    path: &'static str,
    content_type: &'static str,
    /// Made from the content.
    tag: Cow<'static, str>,
    gzip: Bytes,
    /// Decompressed for the first client that does not accept gzip. All answers share the bytes, so that a slow client
    /// costs no memory.
    plain: OnceLock<Bytes>,
}

impl File {
    /// A file that the build script packed.
    pub const fn new(path: &'static str, content_type: &'static str, tag: &'static str, gzip: &'static [u8]) -> Self {
        Self { path, content_type, tag: Cow::Borrowed(tag), gzip: Bytes::from_static(gzip), plain: OnceLock::new() }
    }

    /// A file that is made while the service runs.
    ///
    /// # Errors
    ///
    /// Never in memory.
    #[cfg(feature = "pack")]
    pub fn made(path: &'static str, content_type: &'static str, content: &Bytes) -> io::Result<Self> {
        let tag = Cow::Owned(crate::digest([content.as_ref()]));
        let gzip = crate::compress(content)?.into();
        Ok(Self { path, content_type, tag, gzip, plain: OnceLock::from(content.clone()) })
    }

    /// The file with this path among others.
    pub fn find<'a>(files: &'a [Self], path: &str) -> Option<&'a Self> {
        files.iter().find(|file| file.path == path)
    }

    /// Adds the file to an answer: compressed if the client accepts that, and only its tag if the client has the file.
    pub fn answer(&self, request: &HttpRequest, mut answer: HttpResponseBuilder) -> HttpResponse {
        // Weak, because both forms have the same tag.
        let tag = EntityTag::new_weak(self.tag.to_string());
        answer.insert_header((header::VARY, "accept-encoding")).insert_header(ETag(tag.clone()));
        if is_known(request, &tag) {
            return answer.status(StatusCode::NOT_MODIFIED).finish();
        }
        answer.content_type(self.content_type);
        if accepts_gzip(request) {
            answer.insert_header(ContentEncoding::Gzip);
            return answer.body(self.gzip.clone());
        }
        match self.plain() {
            Ok(plain) => answer.body(plain),
            Err(_) => HttpResponse::InternalServerError().finish(),
        }
    }

    /// The file as it was before it was packed. Every browser takes it compressed.
    fn plain(&self) -> io::Result<Bytes> {
        if let Some(plain) = self.plain.get() {
            return Ok(plain.clone());
        }
        let mut plain = Vec::new();
        GzDecoder::new(&*self.gzip).read_to_end(&mut plain)?;
        Ok(self.plain.get_or_init(|| plain.into()).clone())
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
