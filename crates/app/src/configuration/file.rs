use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use config::{ConfigError, File, FileFormat, Source};

use super::Problem;
use super::given::{Given, Origin};

/// The file that is read, if it exists, when the command line names none.
pub(super) const DEFAULT_FILE: &str = "gatepost.toml";
/// The largest file with a single value, in bytes.
const VALUE_FILE_BYTES_MAX: u64 = 64 * 1024;

/// Reads the configuration file: the named one, which must exist, or the default one, which may be missing.
pub(super) fn read_file(named: Option<&Path>) -> Result<BTreeMap<String, Given>, Problem> {
    let path = named.unwrap_or(Path::new(DEFAULT_FILE));
    let unreadable = |reason: &str| Problem::Invalid(format!("cannot read the file {}: {reason}", path.display()));
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && named.is_none() => return Ok(BTreeMap::new()),
        read => read.map_err(|error| unreadable(&error.to_string()))?,
    };
    let values =
        File::from_str(&text, FileFormat::Toml).collect().map_err(|error| unreadable(&without_excerpt(&error)))?;
    let origin = || Origin::File(path.to_owned());
    Ok(values.into_iter().map(|(name, value)| (name, Given::from_toml(value.kind, origin()))).collect())
}

/// Reads a file with a single value. One newline at its end is ignored: editors and `echo` add it.
pub(super) fn read_value(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(VALUE_FILE_BYTES_MAX + 1).read_to_string(&mut text)?;
    if text.len() as u64 > VALUE_FILE_BYTES_MAX {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "longer than 64 KiB"));
    }
    let end = text.strip_suffix('\n').map_or(text.len(), |line| line.strip_suffix('\r').unwrap_or(line).len());
    text.truncate(end);
    Ok(text)
}

/// The place where the file is not TOML. The library's message also quotes the line, which may contain a secret.
fn without_excerpt(error: &ConfigError) -> String {
    let ConfigError::FileParse { cause, .. } = error else {
        return "not valid TOML".to_owned();
    };
    let text = cause.to_string();
    text.lines().next().filter(|line| line.starts_with("TOML parse error at")).unwrap_or("not valid TOML").to_owned()
}
