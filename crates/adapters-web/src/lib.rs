//! The console: a web application in the binary, at `/console/`. It is a client of the JSON API and has no rules.
//!
//! The folder `web` at the root of the repository is its source, and what is in git is what the browser runs: `build.rs`
//! packs the files, and nothing translates them. See decision 70.

mod color;
mod portal;
mod routes;
mod source;
mod web_folder;

pub use color::PortalColor;
pub use portal::PortalSettings;
pub use routes::routes;
pub use web_folder::WebFolder;
