use super::json_document::{JsonValue, Kind};

/// A JSON pointer (RFC 6901) into the body that receivers get, `{"type", "timestamp", "data"}`: `/type`, `/timestamp`,
/// `/data`, or a place below `/data`. In an array, `*` is any element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilterPath(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    /// The name of a member.
    name: String,
    /// The index in an array; `None` if the step is none.
    index: Option<usize>,
}

/// The step to any element of an array. In an object it is a name like others.
const ANY: &str = "*";
/// The members of the body that have nothing below them.
const ENDS: [&str; 2] = ["/type", "/timestamp"];

/// The string is not a valid [`FilterPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be /type, /timestamp, /data, or a JSON pointer that begins with /data/, with at most {} characters, none of \
     them a control character",
    FilterPath::LENGTH_MAX
)]
pub(super) struct InvalidFilterPath;

impl FilterPath {
    /// The longest path, in characters.
    pub(super) const LENGTH_MAX: usize = 512;
    /// The strings that [`FilterPath::parse`] accepts, apart from their length.
    pub(super) const PATTERN: &str = r"^/(type|timestamp|data(/([^/~\u0000-\u001f\u007f-\u009f]|~[01])*)*)$";

    pub(super) fn parse(text: &str) -> Result<Self, InvalidFilterPath> {
        let is_below_data = text == "/data" || text.starts_with("/data/");
        let escapes = text.split('~').skip(1);
        let fits = (is_below_data || ENDS.contains(&text))
            && text.chars().nth(Self::LENGTH_MAX).is_none()
            && !text.chars().any(char::is_control)
            && escapes.into_iter().all(|rest| rest.starts_with(['0', '1']));
        fits.then(|| Self(text.split('/').skip(1).map(Step::parse).collect())).ok_or(InvalidFilterPath)
    }

    /// Whether the path leads from `root` to a value for which `test` is true. Looks at no value twice.
    pub(super) fn any(&self, root: JsonValue<'_>, test: &dyn Fn(JsonValue<'_>) -> bool) -> bool {
        any_below(root, &self.0, test)
    }
}

/// Calls itself at each `*`: at most as often as a path has steps.
fn any_below(mut value: JsonValue<'_>, steps: &[Step], test: &dyn Fn(JsonValue<'_>) -> bool) -> bool {
    for (place, step) in steps.iter().enumerate() {
        let inner = match value.kind() {
            Kind::Array if step.name == ANY => {
                return value.elements().any(|element| any_below(element, &steps[place + 1..], test));
            }
            Kind::Array => step.index.and_then(|index| value.elements().nth(index)),
            Kind::Object => value.member(&step.name),
            Kind::Text | Kind::Number | Kind::True | Kind::False | Kind::Null => None,
        };
        let Some(inner) = inner else { return false };
        value = inner;
    }
    test(value)
}

impl Step {
    fn parse(text: &str) -> Self {
        let is_index = text == "0" || !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        let index = if is_index { text.parse().ok() } else { None };
        Self { name: text.replace("~1", "/").replace("~0", "~"), index }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::JsonDocument;

    #[test]
    fn a_path_begins_in_the_body_that_receivers_get() {
        let longest = format!("/data/{}", "é".repeat(506));
        for text in ["/type", "/timestamp", "/data", "/data/", "/data//a", "/data/a~0b~1c/*/-1", &longest] {
            assert!(FilterPath::parse(text).is_ok(), "{text:?}");
        }
        let too_long = format!("{longest}e");
        for text in [
            "",
            "/",
            "data",
            "/dat",
            "/database",
            "/type/",
            "/timestamp/a",
            "/data/~",
            "/data/~2",
            "/data/\u{7f}",
            &too_long,
        ] {
            assert_eq!(FilterPath::parse(text), Err(InvalidFilterPath), "{text:?}");
        }
    }

    #[test]
    fn a_path_leads_to_one_value_or_to_any_element() {
        let text = r#"{"data":{"items":[{"n":1},{"n":2},3],"*":4,"01":5,"a/b~":6,"":{"":7},"2":8}}"#;
        let document = JsonDocument::parse(text).unwrap();
        let leads =
            |path: &str, to: &str| FilterPath::parse(path).unwrap().any(document.root(), &|value| value.raw() == to);
        for (path, to) in [
            ("/data/items/0/n", "1"),
            ("/data/items/*/n", "1"),
            ("/data/items/*/n", "2"),
            ("/data/items/*", "3"),
            ("/data/items/2", "3"),
            ("/data/*", "4"),
            ("/data/01", "5"),
            ("/data/a~1b~0", "6"),
            ("/data//", "7"),
            ("/data/2", "8"),
        ] {
            assert!(leads(path, to), "{path} {to}");
        }
        for path in ["/data/items/00", "/data/items/3", "/data/items/-", "/data/items/n", "/data/items/2/*", "/data/b"]
        {
            assert!(!FilterPath::parse(path).unwrap().any(document.root(), &|_| true), "{path}");
        }
    }
}
