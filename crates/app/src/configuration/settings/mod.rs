//! The one table of settings. A row is a [`Setting`]: its name, its field of the configuration, the [`Form`] of its
//! values, and its description.

mod forms;
mod table;

use std::fmt::Write;

use adapters_system::MASK;

use super::Configuration;
use super::database_url::without_passwords;
use super::given::{Given, Refused};
use forms::Form;

pub(crate) use forms::operator_token;
pub(crate) use table::SHARDS_MAX;

/// The page `docs/configuration.md` up to the table.
const INTRODUCTION: &str = include_str!("introduction.md");

/// One row of the table.
pub(super) struct Setting {
    /// Its name in the environment. In the file the name is in lower case.
    pub(super) name: &'static str,
    /// Its description on the reference page.
    doc: String,
    /// The meaning of a setting without value and default.
    when_unset: &'static str,
    /// How much of a refused value may be shown.
    pub(super) secrecy: Secrecy,
    /// The allowed values, to follow "must be".
    pub(super) allowed: String,
    /// Parses a value, and puts it into the field.
    pub(super) set: Set,
    /// The value of the field as it may be shown; `None` if it is not set.
    pub(super) show: Show,
}

type Set = Box<dyn Fn(&mut Configuration, &Given) -> Result<(), Refused> + Send + Sync>;
type Show = Box<dyn Fn(&mut Configuration) -> Option<String> + Send + Sync>;
/// The field of a setting, to be written and to be read.
type Field<T> = fn(&mut Configuration) -> &mut T;

/// How much of a value may be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    /// All of it.
    Open,
    /// All but the password in its URL.
    Password,
    /// No part of it.
    Secret,
}

/// Every setting, in the order of the reference page.
pub(super) fn settings() -> &'static [Setting] {
    &table::SETTINGS
}

/// The page `docs/configuration.md`.
pub(crate) fn reference_page() -> String {
    let (mut page, mut default) = (INTRODUCTION.to_owned(), Configuration::default());
    for Setting { name, doc, when_unset, allowed, show, .. } in settings() {
        let value = show(&mut default).map_or_else(|| (*when_unset).to_owned(), |value| format!("`{value}`"));
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| `{name}` | {value} | {doc} | {allowed} |");
    }
    page
}

/// The name that reads a value from a file.
pub(super) fn value_file_name(name: &str) -> String {
    format!("{name}_FILE")
}

/// A setting that always has a value.
fn one<T: 'static>(name: &'static str, field: Field<T>, form: Form<T>) -> Setting {
    let Form { allowed, parse, show, secrecy } = form;
    let set = move |all: &mut Configuration, given: &Given| given.one(&parse).map(|value| *field(all) = value);
    let show = move |all: &mut Configuration| Some(show(field(all)));
    Setting::new(name, secrecy, allowed, Box::new(set), Box::new(show))
}

/// A setting that may have no value, and has none if it is empty.
fn optional<T: 'static>(name: &'static str, field: Field<Option<T>>, form: Form<T>) -> Setting {
    let Form { allowed, parse, show, secrecy } = form;
    let set = move |all: &mut Configuration, given: &Given| given.optional(&parse).map(|value| *field(all) = value);
    let show = move |all: &mut Configuration| field(all).as_ref().map(&show);
    Setting::new(name, secrecy, allowed, Box::new(set), Box::new(show))
}

/// A setting with any number of values.
fn list<T: Clone + 'static>(name: &'static str, field: Field<Vec<T>>, form: Form<T>) -> Setting {
    whole(name, field, form, Some, Vec::clone)
}

/// A setting with a list of values, which together make one value of another type.
fn whole<T: 'static, Whole: 'static>(
    name: &'static str,
    field: Field<Whole>,
    form: Form<T>,
    whole: fn(Vec<T>) -> Option<Whole>,
    values: fn(&Whole) -> Vec<T>,
) -> Setting {
    let Form { allowed, parse, show, secrecy } = form;
    let set = move |all: &mut Configuration, given: &Given| {
        given.many(&parse).and_then(|values| whole(values).ok_or(Refused)).map(|whole| *field(all) = whole)
    };
    let show = move |all: &mut Configuration| {
        let shown: Vec<String> = values(field(all)).iter().map(&show).collect();
        (!shown.is_empty()).then(|| shown.join(","))
    };
    Setting::new(name, secrecy, allowed, Box::new(set), Box::new(show))
}

impl Setting {
    fn new(name: &'static str, secrecy: Secrecy, allowed: String, set: Set, show: Show) -> Self {
        Self { name, doc: String::new(), when_unset: "–", secrecy, allowed, set, show }
    }

    /// Adds a line to the description.
    fn doc(mut self, line: &str) -> Self {
        let space = if self.doc.is_empty() { "" } else { " " };
        self.doc = [&self.doc, space, line].concat();
        self
    }

    fn when_unset(self, when_unset: &'static str) -> Self {
        Self { when_unset, ..self }
    }

    /// A given value, as much as may be shown of it.
    pub(super) fn shown(&self, given: &Given) -> String {
        match self.secrecy {
            Secrecy::Open => given.shown(),
            Secrecy::Password => without_passwords(&given.shown()),
            Secrecy::Secret => MASK.to_owned(),
        }
    }
}
