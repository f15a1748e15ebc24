//! The console: a web application in the binary, at `/console/`. It is a client of the JSON API and has no rules.
//!
//! Its source is the folder `web` at the root of the repository, and the browser runs the files as they are in git:
//! `build.rs` packs them, and does not translate them. See decision 70.

mod color;
mod portal;
mod routes;
mod source;
mod web_folder;

pub use color::PortalColor;
pub use portal::PortalSettings;
pub use routes::routes;
pub use web_folder::WebFolder;
