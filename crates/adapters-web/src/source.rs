//! The knowledge of the folder `web` that the build script and the routes share.

/// The page of every screen, and the only file that is not under the versioned path.
pub(crate) const SHELL: &str = "index.html";
/// Where the shell names the version of the other files.
const VERSION_MARK: &str = "{version}";

/// The shell as browsers get it, which names the other files by this version. `None` if its source has no mark for the
/// version.
///
/// A page must not mix files of two versions. See decision 70.
pub(crate) fn shell_of(source: &str, version: &str) -> Option<String> {
    source.contains(VERSION_MARK).then(|| source.replace(VERSION_MARK, version))
}

/// The file types that the browser loads, with their media types. Other files, such as type declarations, stay out of
/// the binary.
const KINDS: [(&str, &str); 5] = [
    ("css", "text/css; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
];

/// The media type of the file, if the browser loads it.
pub(crate) fn content_type(file: &str) -> Option<&'static str> {
    let (_, kind) = file.rsplit_once('.')?;
    KINDS.iter().find(|(known, _)| *known == kind).map(|(_, content_type)| *content_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_names_every_file_by_the_version() {
        assert_eq!(shell_of("/{version}/a.js /{version}/b.css", "1f"), Some("/1f/a.js /1f/b.css".to_owned()));
        assert_eq!(shell_of("/a.js", "1f"), None);
    }

    #[test]
    fn only_what_browsers_load_has_a_type() {
        assert_eq!(content_type("lib/ui.js"), Some("text/javascript; charset=utf-8"));
        for file in ["package.json", "vendor/preact.d.ts", "SHA256SUMS", "js"] {
            assert_eq!(content_type(file), None, "{file}");
        }
    }
}
