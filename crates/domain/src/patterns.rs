//! Parts of the regular expressions of JSON Schema that describe strings.

/// Unicode's control characters, in a class.
pub(crate) const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
/// A string of at least one character, without control characters.
pub(crate) const NO_CONTROL: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";
