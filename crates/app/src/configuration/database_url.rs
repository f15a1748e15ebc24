use std::fmt;
use std::path::{Path, PathBuf};

use adapters_system::{MASK, Secret};

/// Connection parameters that may be shown. Any other parameter is masked: it may be a misspelt `password`.
const HARMLESS_PARAMETERS: [&str; 13] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "load_balance_hosts",
    "port",
    "sslmode",
    "target_session_attrs",
    "tcp_user_timeout",
];

/// Where the data is. The scheme decides at run time which adapter is used. It prints without its password.
#[derive(Clone)]
pub(crate) enum DatabaseUrl {
    /// A file on this machine.
    Sqlite(PathBuf),
    /// A server, or several with spaces between them; the whole text, with the passwords.
    Postgres(Secret),
}

impl DatabaseUrl {
    /// The URLs that [`DatabaseUrl::parse`] accepts.
    pub(crate) const ALLOWED: &str = "sqlite://PATH (sqlite:///PATH when absolute) or postgres://USER@HOST/DATABASE";

    /// The URL of each server; none for a file.
    pub(crate) fn servers(&self) -> Vec<Secret> {
        let Self::Postgres(urls) = self else { return Vec::new() };
        split(urls.expose()).into_iter().map(Secret::new).collect()
    }

    /// The reason against this number of shards; `None` without one.
    pub(crate) fn misfit(&self, shards: u16) -> Option<String> {
        let servers = self.servers().len();
        match self {
            Self::Sqlite(_) if shards > 1 => {
                Some("a SQLite file, which one process has to itself: use Postgres, or 1".to_owned())
            }
            Self::Postgres(_) if usize::from(shards) < servers => {
                Some(format!("{servers} servers, and each needs a shard: set it to {servers} or more"))
            }
            _ => None,
        }
    }

    /// Parses a URL by its scheme; `None` for any other scheme. The adapter checks the rest of a Postgres URL.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        match scheme {
            // SQLite reads such paths as a URI, as options, or as a database in memory.
            "sqlite" if !rest.is_empty() && !rest.starts_with(':') && !rest.contains(['?', '#', '\0']) => {
                Some(Self::Sqlite(PathBuf::from(rest)))
            }
            "postgres" | "postgresql" if !rest.is_empty() => Some(Self::Postgres(Secret::new(url))),
            _ => None,
        }
    }

    /// The kind of the database in one word, for logs.
    pub(crate) fn kind(&self) -> &'static str {
        self.parts().kind
    }

    /// The database file; `None` for a server.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.parts().file
    }

    /// The folder of a database file; `None` for a server.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.file().and_then(Path::parent)
    }

    fn parts(&self) -> Parts<'_> {
        match self {
            Self::Sqlite(path) => {
                let shown = format!("sqlite://{}", path.display());
                Parts { kind: "sqlite", file: Some(path), shown }
            }
            Self::Postgres(url) => Parts { kind: "postgres", file: None, shown: without_passwords(url.expose()) },
        }
    }
}

/// The parts of a URL that users may see.
struct Parts<'a> {
    kind: &'static str,
    file: Option<&'a Path>,
    /// The URL without its password.
    shown: String,
}

impl Default for DatabaseUrl {
    fn default() -> Self {
        Self::Sqlite(PathBuf::from("gatepost-data/gatepost.db"))
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.parts().shown)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// The URLs in the text. A space is between two of them if another URL follows: a password may contain spaces.
fn split(urls: &str) -> Vec<&str> {
    let (mut parts, mut begin) = (Vec::new(), 0);
    for (place, _) in urls.match_indices(char::is_whitespace) {
        let rest = urls[place..].trim_start();
        if place >= begin && (rest.starts_with("postgres://") || rest.starts_with("postgresql://")) {
            parts.push(urls[begin..place].trim());
            begin = urls.len() - rest.len();
        }
    }
    parts.push(urls[begin..].trim());
    parts
}

/// Each of the URLs as it may be shown.
pub(crate) fn without_passwords(urls: &str) -> String {
    split(urls).into_iter().map(without_password).collect::<Vec<_>>().join(" ")
}

/// The URL as it may be shown. A password may contain `@`, `:`, `/` and `?` unescaped, so everything from the first `:`
/// after the user to the last `@` is masked.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // `user:password@host` and `password=…` contain a secret, although they are not URLs. The name of a file
        // contains none.
        return if url.contains(['@', '=']) { MASK.to_owned() } else { url.to_owned() };
    };
    let (user, place) = match rest.rsplit_once('@') {
        None => (String::new(), rest),
        Some((credentials, place)) => match credentials.split_once(':') {
            Some((user, _)) => (format!("{user}:{MASK}@"), place),
            None => (format!("{credentials}@"), place),
        },
    };
    let (address, parameters) = match place.split_once('?') {
        None => (place, String::new()),
        Some((address, parameters)) => (address, masked_parameters(parameters)),
    };
    format!("{scheme}://{user}{address}{parameters}")
}

fn masked_parameters(parameters: &str) -> String {
    let shown = parameters.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if HARMLESS_PARAMETERS.contains(&name) => parameter.to_owned(),
        Some((name, _)) => format!("{name}={MASK}"),
        None => MASK.to_owned(),
    });
    format!("?{}", shown.collect::<Vec<_>>().join("&"))
}
