//! The one table of settings. A row is a [`Setting`]: its name, its field of the configuration, the [`Form`] of its
//! values, and its description.

mod keys;
mod people;
mod service;
mod webhooks;

use std::fmt::{Display, Write};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;

use adapters_system::MASK;

use super::Configuration;
use super::database_url::without_passwords;
use super::given::{Given, Refused};

pub(crate) use service::{SHARDS_MAX, operator_token};

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
/// The form of a rate limit.
const RATE_LIMIT: &str = "a count and a unit, such as 100/s, 6000/m or 100000/h";
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

type Parse<T> = Box<dyn Fn(&str) -> Option<T> + Send + Sync>;
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
    static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
        let groups = [
            service::database(),
            service::addresses(),
            people::identity(),
            people::organizations(),
            keys::keys(),
            service::audit(),
            service::secrets(),
            service::pages(),
            service::running(),
            service::tls(),
            people::sign_in(),
            people::portal(),
            keys::verification(),
            service::http(),
            webhooks::webhooks(),
            webhooks::deliveries(),
            webhooks::operator_webhook(),
            service::traces(),
        ];
        groups.into_iter().flatten().collect()
    });
    &SETTINGS
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

/// How a value is written.
struct Form<T> {
    /// See [`Setting::allowed`].
    allowed: String,
    parse: Parse<T>,
    /// The value as it may be shown.
    show: Box<dyn Fn(&T) -> String + Send + Sync>,
    secrecy: Secrecy,
}

impl<T> Form<T> {
    fn new(
        allowed: impl Into<String>,
        parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
        show: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Self {
        Self { allowed: allowed.into(), parse: Box::new(parse), show: Box::new(show), secrecy: Secrecy::Open }
    }

    /// Adds a note to the allowed values.
    fn noting(self, note: &str) -> Self {
        Self { allowed: self.allowed + note, ..self }
    }

    /// The values are URLs, which may have a password.
    fn with_password(self) -> Self {
        Self { secrecy: Secrecy::Password, ..self }
    }

    fn secret(self) -> Self {
        Self { secrecy: Secrecy::Secret, ..self }
    }
}

/// Values that print as they are written.
fn form<T: ToString + 'static>(
    allowed: impl Into<String>,
    parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static,
) -> Form<T> {
    Form::new(allowed, parse, T::to_string)
}

/// A few words, each with its value.
fn word<T: Copy + PartialEq + Sync + 'static>(words: &'static [(&'static str, T)]) -> Form<T> {
    let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let parse = move |text: &str| words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    let show = move |shown: &T| words.iter().find(|(_, value)| value == shown).map_or("", |(word, _)| *word).to_owned();
    Form::new(allowed.join(" or "), parse, show)
}

fn url<T: ToString + 'static>(allowed: &str, parse: fn(&str) -> Option<T>) -> Form<T> {
    form(allowed, parse).with_password()
}

/// Secrets.
fn masked<T>(allowed: impl Into<String>, parse: impl Fn(&str) -> Option<T> + Send + Sync + 'static) -> Form<T> {
    Form::new(allowed, parse, |_| MASK.to_owned()).secret()
}

fn flag() -> Form<bool> {
    form("true or false", parsed)
}

fn number<N>(range: RangeInclusive<N>) -> Form<N>
where
    N: FromStr + Display + PartialOrd + Send + Sync + 'static,
{
    form(format!("{} to {}", range.start(), range.end()), move |text| within(&range, text))
}

/// A number of seconds.
fn seconds(range: RangeInclusive<u64>) -> Form<Duration> {
    let Form { allowed, parse, .. } = number(range);
    Form::new(allowed, move |text| parse(text).map(Duration::from_secs), |time| time.as_secs().to_string())
}

fn within<N: FromStr + PartialOrd>(range: &RangeInclusive<N>, text: &str) -> Option<N> {
    parsed(text).filter(|number| range.contains(number))
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
