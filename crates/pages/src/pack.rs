use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A file before it is packed.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unpacked {
    /// How requests name it.
    pub path: String,
    /// Its media type.
    pub content_type: &'static str,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// For a build script: writes the compressed files to the folder `out`, with a file `packed.rs` that declares them as
/// the array `FILES`.
///
/// # Errors
///
/// If the folder cannot be written.
pub fn pack(files: &[Unpacked], out: &Path) -> io::Result<()> {
    let mut source = format!("pub(crate) static FILES: [pages::File; {}] = [\n", files.len());
    for (number, Unpacked { path, content_type, content }) in files.iter().enumerate() {
        let place = out.join(format!("{number}.gz"));
        fs::write(&place, compress(content)?)?;
        let (tag, place) = (digest([content.as_slice()]), place.to_string_lossy());
        // Writing to a String cannot fail.
        let _ = writeln!(source, "pages::File::new({path:?}, {content_type:?}, {tag:?}, include_bytes!({place:?})),");
    }
    source.push_str("];\n");
    fs::write(out.join("packed.rs"), source)
}

/// The bytes in the format of gzip.
///
/// # Errors
///
/// Never in memory.
pub fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

/// The first 64 bits of a SHA-256 over the parts, in hexadecimal.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(8).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
