//! The parts that all pages of the service share: their look, and files that the binary holds compressed. See
//! decision 109.

#[cfg(feature = "serve")]
mod file;
#[cfg(feature = "pack")]
mod pack;
mod page;

#[cfg(feature = "serve")]
pub use file::File;
#[cfg(feature = "pack")]
pub use pack::{Unpacked, compress, digest, pack};
pub use page::{MEDIA_TYPE, STYLE, escape, page};
