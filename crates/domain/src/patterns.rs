//! Parts of the regular expressions of JSON Schema that describe strings.

/// Unicode's control characters, in a class.
pub(crate) const CONTROL: &str = r"\u0000-\u001f\u007f-\u009f";
/// A string of at least one character, without control characters.
pub(crate) const NO_CONTROL: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";
/// The same without the marks that change the direction of writing.
pub(crate) const NO_CONTROL_OR_DIRECTION: &str =
    r"^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+$";
