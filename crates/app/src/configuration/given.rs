use std::fmt;
use std::path::{Path, PathBuf};

use config::ValueKind;
use serde::{Serialize, Serializer};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// The setting is not set.
    Default,
    /// The configuration file.
    File(PathBuf),
    /// A variable of the environment.
    Environment,
    /// The file that `NAME_FILE` names.
    ValueFile {
        /// `NAME_FILE`, as it was written.
        name: String,
        /// The file.
        path: PathBuf,
    },
}

impl Origin {
    /// The file that contains the value, if it is in one.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::ValueFile { path, .. } => Some(path),
            Self::Default | Self::Environment => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Environment => formatter.write_str("environment"),
            Self::ValueFile { name, path } => write!(formatter, "{name}={}", path.display()),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A value before it is parsed. It may be a secret, so it has no `Debug`.
pub(crate) struct Given {
    content: Content,
    /// Where it was written.
    pub(crate) origin: Origin,
}

enum Content {
    Text(String),
    List(Vec<String>),
    /// A table, or a list of other things than strings and numbers. No setting accepts one.
    Structure,
}

/// The value is not allowed; the row of the setting has the allowed ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refused;

impl Given {
    /// A value that was written as a string.
    pub(super) fn text(text: impl Into<String>, origin: Origin) -> Self {
        Self { content: Content::Text(text.into()), origin }
    }

    /// A value of the configuration file.
    pub(super) fn from_toml(kind: ValueKind, origin: Origin) -> Self {
        let content = match kind {
            ValueKind::Array(items) => {
                let texts = items.into_iter().map(|item| scalar(item.kind)).collect::<Option<Vec<_>>>();
                texts.map_or(Content::Structure, Content::List)
            }
            kind => scalar(kind).map_or(Content::Structure, Content::Text),
        };
        Self { content, origin }
    }

    /// Whether the value is a table or a list of tables.
    pub(super) fn is_structure(&self) -> bool {
        matches!(self.content, Content::Structure)
    }

    /// Parses a single value.
    pub(super) fn one<T>(&self, parse: impl Fn(&str) -> Option<T>) -> Result<T, Refused> {
        match &self.content {
            Content::Text(text) => parse(text).ok_or(Refused),
            Content::List(_) | Content::Structure => Err(Refused),
        }
    }

    /// Parses a single value. An empty one means "not set", as `${NAME:-}` in a compose file may give it.
    pub(super) fn optional<T>(&self, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, Refused> {
        self.one(|text| if text.is_empty() { Some(None) } else { parse(text).map(Some) })
    }

    /// Parses each item of a list, or of a string with commas. An empty string is an empty list.
    pub(super) fn many<T>(&self, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, Refused> {
        let parse_all = |items: &mut dyn Iterator<Item = &str>| items.map(&parse).collect::<Option<_>>().ok_or(Refused);
        match &self.content {
            Content::Text(text) if text.trim().is_empty() => Ok(Vec::new()),
            Content::Text(text) => parse_all(&mut text.split(',').map(str::trim)),
            Content::List(items) => parse_all(&mut items.iter().map(String::as_str)),
            Content::Structure => Err(Refused),
        }
    }

    /// The value as it may be shown if the setting is not a secret.
    pub(crate) fn shown(&self) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::List(items) => items.join(","),
            Content::Structure => "a table".to_owned(),
        }
    }
}

fn scalar(kind: ValueKind) -> Option<String> {
    match kind {
        ValueKind::Boolean(value) => Some(value.to_string()),
        ValueKind::I64(value) => Some(value.to_string()),
        ValueKind::I128(value) => Some(value.to_string()),
        ValueKind::U64(value) => Some(value.to_string()),
        ValueKind::U128(value) => Some(value.to_string()),
        ValueKind::Float(value) => Some(value.to_string()),
        ValueKind::String(value) => Some(value),
        ValueKind::Nil | ValueKind::Table(_) | ValueKind::Array(_) => None,
    }
}
