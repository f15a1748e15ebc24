use std::path::{Component, Path, PathBuf};
use std::{fs, io};

use actix_web::http::header;
use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpResponse, HttpResponseBuilder};

use crate::source::{SHELL, content_type, shell_of};

/// A folder from which the console is read at each request, instead of from the binary: a developer sees a change when the
/// page is loaded again.
#[derive(Clone, Debug)]
pub struct WebFolder(PathBuf);

impl WebFolder {
    /// The source of the console in this folder.
    ///
    /// # Errors
    ///
    /// When the folder does not have the shell.
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::metadata(folder.join(SHELL))?;
        Ok(Self(folder))
    }

    /// Makes [`crate::routes`] read from the folder.
    pub fn register(self, config: &mut ServiceConfig) {
        config.app_data(Data::new(self));
    }

    /// The shell, which names its files by a version that is never checked.
    pub(crate) fn shell(&self, mut answer: HttpResponseBuilder) -> Option<HttpResponse> {
        let source = fs::read_to_string(self.0.join(SHELL)).ok()?;
        Some(answer.content_type(content_type(SHELL)?).body(shell_of(&source, "folder")?))
    }

    pub(crate) fn asset(&self, file: &str) -> Option<HttpResponse> {
        let path = Path::new(file);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let (content_type, content) = (content_type(file)?, fs::read(self.0.join(path)).ok()?);
        let mut answer = HttpResponse::Ok();
        answer.insert_header((header::CACHE_CONTROL, "no-store")).content_type(content_type);
        Some(answer.body(content))
    }
}
