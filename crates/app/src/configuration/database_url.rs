use std::fmt;
use std::path::{Path, PathBuf};

use super::secret::{MASK, Secret};

/// Connection parameters that may be shown; any other could hold a password.
const HARMLESS_PARAMETERS: [&str; 3] = ["application_name", "connect_timeout", "sslmode"];

/// Where the data is: decides at run time which adapter is used. Prints without its password.
#[derive(Clone)]
pub(crate) enum DatabaseUrl {
    /// A file of this machine.
    Sqlite(PathBuf),
    /// A server; the whole URL, which holds the password.
    Postgres(Secret),
}

impl DatabaseUrl {
    /// What [`DatabaseUrl::parse`] takes.
    pub(crate) const ALLOWED: &str = "sqlite://PATH (sqlite:///PATH when absolute) or postgres://USER@HOST/DATABASE";

    /// Reads a URL by its scheme; `None` for any other scheme. What follows `postgres://` is the adapter's to judge.
    pub(crate) fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        match scheme {
            // A path that SQLite itself would read as a URI, as options or as memory is no file of ours.
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

    /// The folder of a database file; `None` for a server.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.parts().folder
    }

    fn parts(&self) -> Parts<'_> {
        match self {
            Self::Sqlite(path) => {
                let shown = format!("sqlite://{}", path.display());
                Parts { kind: "sqlite", folder: path.parent(), shown }
            }
            Self::Postgres(url) => Parts { kind: "postgres", folder: None, shown: without_password(url.expose()) },
        }
    }
}

/// What is said of a URL to users.
struct Parts<'a> {
    kind: &'static str,
    folder: Option<&'a Path>,
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

/// The URL as it may be shown. What cannot be told apart is masked: a password may hold `@`, `:`, `/` and `?` as they
/// are, so everything from the user's first `:` to the last `@` counts as password.
pub(crate) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // `user:password@host` and `password=…` are no URLs, but a file's name is no secret.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_chooses_and_others_are_refused() {
        assert!(
            matches!(DatabaseUrl::parse("sqlite://a/b.db"), Some(DatabaseUrl::Sqlite(path)) if path == Path::new("a/b.db"))
        );
        assert!(
            matches!(DatabaseUrl::parse("sqlite:///a.db"), Some(DatabaseUrl::Sqlite(path)) if path == Path::new("/a.db"))
        );
        assert!(matches!(DatabaseUrl::parse("postgres://h/d"), Some(DatabaseUrl::Postgres(_))));
        assert!(matches!(DatabaseUrl::parse("postgresql://h/d"), Some(DatabaseUrl::Postgres(_))));
        for wrong in ["", "a.db", "sqlite:a.db", "sqlite://", "sqlite://:memory:", "sqlite://a?mode=ro", "mysql://h/d"]
        {
            assert!(DatabaseUrl::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_password_never_shows() {
        for (url, shown) in [
            ("postgres://u:hunter2@h/d", "postgres://u:***@h/d"),
            ("postgres://u:hunter2@x/?:y@h/d", "postgres://u:***@h/d"),
            ("postgres://u@h:5432/d?sslmode=require", "postgres://u@h:5432/d?sslmode=require"),
            ("postgres://u@h/d?password=hunter2&sslmode=require", "postgres://u@h/d?password=***&sslmode=require"),
            ("postgres://h/d?hunter2", "postgres://h/d?***"),
            ("host=h password=hunter2", "***"),
            ("u:hunter2@h/d", "***"),
            ("gatepost.db", "gatepost.db"),
        ] {
            assert_eq!(without_password(url), shown);
        }
        let parsed = DatabaseUrl::parse("postgres://u:hunter2@h/d").unwrap();
        assert_eq!(format!("{parsed} {parsed:?}"), "postgres://u:***@h/d postgres://u:***@h/d");
    }
}
