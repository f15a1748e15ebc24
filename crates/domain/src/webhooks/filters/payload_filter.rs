use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::cmp::Ordering;
use std::mem::discriminant;

use super::decimal::Decimal;
use super::filter_path::FilterPath;
use super::json_document::{JsonDocument, JsonValue, Kind};
use crate::webhooks::Payload;

/// Which events a subscription receives, by their content: a tree of conditions about the body that receivers get. See
/// decision 133.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadFilter {
    /// The JSON of the filter, without spaces between its parts.
    pub(super) text: String,
    pub(super) root: Condition,
}

/// What a filter says about an event, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterVerdict {
    /// Whether the event passes.
    pub passes: bool,
    /// The place of the leaf that was checked last: with it the verdict was certain. For example `filter.all[1]`.
    pub decided_by: String,
}

/// A payload that is read when the first filter needs it, and only then.
pub struct FilteredPayload<'a> {
    payload: &'a Payload,
    /// `None` if the payload is not JSON, which no publication lets through.
    document: OnceCell<Option<JsonDocument<'a>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Leaf(Leaf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// How many leaves come before it.
    pub(super) number: usize,
    pub(super) path: FilterPath,
    pub(super) test: Test,
}

/// What a leaf asks of a value. A value of another type than the leaf's own is false, for `ne` too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Exists,
    Equal(Scalar<'static>),
    NotEqual(Scalar<'static>),
    In(Vec<Scalar<'static>>),
    /// The order of the value and the limit is one of these. Numbers have the order of their values, strings that of
    /// the code points of their characters.
    Compare(&'static [Ordering], Scalar<'static>),
    Prefix(String),
    Suffix(String),
    Contains(String),
}

/// A value that is neither an object nor an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scalar<'a> {
    Null,
    Flag(bool),
    Number(Decimal),
    Text(Cow<'a, str>),
}

impl PayloadFilter {
    /// The longest text of a filter, in bytes.
    pub const SIZE_BYTES_MAX: usize = 8 * 1024;
    /// The most leaves.
    pub const LEAVES_MAX: usize = 20;
    /// The most conditions inside each other, the leaf included.
    pub const DEPTH_MAX: usize = 6;
    /// The most values of `in`.
    pub const VALUES_MAX: usize = 100;
    /// The longest string that a leaf compares with, in characters.
    pub const VALUE_LENGTH_MAX: usize = 1_024;
    /// The most comparisons of values for one event.
    pub const COMPARISONS_MAX: usize = 100_000;
    /// The longest path, in characters.
    pub const PATH_LENGTH_MAX: usize = FilterPath::LENGTH_MAX;
    /// The paths that a leaf may have, apart from their length.
    pub const PATH_PATTERN: &str = FilterPath::PATTERN;

    /// The filter as JSON, in the order and with the digits in which it was written, without spaces between its parts.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether an event with this body passes. Takes time in proportion to the body, for each leaf. An event that needs more
    /// than [`PayloadFilter::COMPARISONS_MAX`] passes: no filter may hold up publications, and no event is lost.
    pub fn passes(&self, body: &JsonDocument<'_>) -> bool {
        self.decided(body).0
    }

    /// [`PayloadFilter::passes`], and the leaf that decided.
    pub fn decide(&self, body: &JsonDocument<'_>) -> FilterVerdict {
        let (passes, last) = self.decided(body);
        let decided_by = self.root.place_of(last, Self::PLACE.to_owned()).unwrap_or_default();
        FilterVerdict { passes, decided_by }
    }

    /// Whether the event passes, and the number of the leaf that decided.
    fn decided(&self, body: &JsonDocument<'_>) -> (bool, usize) {
        let walk = Walk { last: Cell::new(0), comparisons: Cell::new(0) };
        let holds = self.root.holds(body, &walk);
        (holds || walk.is_too_long(), walk.last.get())
    }

    /// The name of the field that holds the filter: where the places of its parts begin.
    pub(super) const PLACE: &str = "filter";
}

impl<'a> FilteredPayload<'a> {
    /// The payload, which is not read yet.
    pub const fn new(payload: &'a Payload) -> Self {
        Self { payload, document: OnceCell::new() }
    }

    /// Whether the payload passes. Without a filter, each does.
    pub fn passes(&self, filter: Option<&PayloadFilter>) -> bool {
        filter.is_none_or(|filter| self.document().is_some_and(|document| filter.passes(document)))
    }

    fn document(&self) -> Option<&JsonDocument<'a>> {
        let read = || JsonDocument::parse(str::from_utf8(self.payload.bytes()).ok()?).ok();
        self.document.get_or_init(read).as_ref()
    }
}

/// The way through the leaves for one event.
struct Walk {
    /// The number of the last leaf.
    last: Cell<usize>,
    comparisons: Cell<usize>,
}

impl Walk {
    fn is_too_long(&self) -> bool {
        self.comparisons.get() > PayloadFilter::COMPARISONS_MAX
    }

    /// Counts the comparisons of one value. `true` once they are too many, so that the leaf looks at no more values.
    fn ends_after(&self, comparisons: usize) -> bool {
        self.comparisons.set(self.comparisons.get() + comparisons);
        self.is_too_long()
    }
}

impl Condition {
    /// Looks at leaves in their order, until the result is certain or the walk is too long.
    fn holds(&self, body: &JsonDocument<'_>, walk: &Walk) -> bool {
        match self {
            Self::All(inner) => inner.iter().all(|condition| condition.holds(body, walk)),
            Self::Any(inner) => inner.iter().any(|condition| condition.holds(body, walk)),
            Self::Not(inner) => !inner.holds(body, walk),
            Self::Leaf(_) if walk.is_too_long() => false,
            Self::Leaf(leaf) => {
                walk.last.set(leaf.number);
                let comparisons = leaf.test.comparisons();
                leaf.path.any(body.root(), &|value| walk.ends_after(comparisons) || leaf.test.holds(value))
            }
        }
    }

    /// The place of the leaf with this number, if it is in this condition, which is at `place`.
    fn place_of(&self, number: usize, place: String) -> Option<String> {
        let of_list = |name: &str, inner: &[Self]| {
            let mut places =
                inner.iter().enumerate().map(|(index, condition)| (condition, format!("{place}.{name}[{index}]")));
            places.find_map(|(condition, place)| condition.place_of(number, place))
        };
        match self {
            Self::All(inner) => of_list("all", inner),
            Self::Any(inner) => of_list("any", inner),
            Self::Not(inner) => inner.place_of(number, format!("{place}.not")),
            Self::Leaf(leaf) => (leaf.number == number).then_some(place),
        }
    }
}

impl Test {
    /// How many comparisons one value needs at most.
    const fn comparisons(&self) -> usize {
        match self {
            Self::In(wanted) => wanted.len(),
            _ => 1,
        }
    }

    fn holds(&self, value: JsonValue<'_>) -> bool {
        let scalar = || Scalar::of(value);
        let text = |holds: &dyn Fn(&str) -> bool| value.text().is_some_and(|text| holds(&text));
        match self {
            Self::Exists => true,
            Self::Equal(wanted) => scalar().is_some_and(|scalar| scalar == *wanted),
            Self::NotEqual(other) => scalar().is_some_and(|scalar| scalar.is_like(other) && scalar != *other),
            Self::In(wanted) => scalar().is_some_and(|scalar| wanted.contains(&scalar)),
            Self::Compare(allowed, limit) => {
                scalar().and_then(|scalar| scalar.order(limit)).is_some_and(|order| allowed.contains(&order))
            }
            Self::Prefix(wanted) => text(&|text| text.starts_with(wanted)),
            Self::Suffix(wanted) => text(&|text| text.ends_with(wanted)),
            Self::Contains(wanted) => text(&|text| text.contains(wanted)),
        }
    }
}

impl<'a> Scalar<'a> {
    /// `None` for objects, arrays, and strings that are not Unicode.
    pub(super) fn of(value: JsonValue<'a>) -> Option<Self> {
        match value.kind() {
            Kind::Object | Kind::Array => None,
            Kind::Text => value.text().map(Self::Text),
            Kind::Number => Some(Self::Number(Decimal::of_json(value.raw()))),
            Kind::True => Some(Self::Flag(true)),
            Kind::False => Some(Self::Flag(false)),
            Kind::Null => Some(Self::Null),
        }
    }

    /// The same value, without the text that it was read from.
    pub(super) fn into_owned(self) -> Scalar<'static> {
        match self {
            Self::Null => Scalar::Null,
            Self::Flag(flag) => Scalar::Flag(flag),
            Self::Number(number) => Scalar::Number(number),
            Self::Text(text) => Scalar::Text(text.into_owned().into()),
        }
    }

    /// Whether both have the same type.
    fn is_like(&self, other: &Scalar<'_>) -> bool {
        discriminant(self) == discriminant(other)
    }

    /// `None` if the types differ, or have no order.
    fn order(&self, other: &Scalar<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(one), Scalar::Number(other)) => Some(one.cmp(other)),
            (Self::Text(one), Scalar::Text(other)) => Some(one.as_ref().cmp(other.as_ref())),
            _ => None,
        }
    }
}
