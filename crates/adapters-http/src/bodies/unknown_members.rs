use domain::closest_name;

use crate::errors::api_error::ApiError;
use crate::errors::error_code::ErrorCode;
use crate::errors::field_fault::FieldFault;

/// How much of a member's name an error repeats, in characters.
const SHOWN_NAME_LENGTH_MAX: usize = 64;
/// The most unknown members that an error names.
const NAMED_MAX: usize = 16;

/// The names of the members of an object that the call does not know: of each its start, and of the first 16.
#[derive(Default)]
pub(crate) struct UnknownMembers(Vec<String>);

impl UnknownMembers {
    pub(crate) fn add(&mut self, name: &str) {
        if self.0.len() < NAMED_MAX {
            self.0.push(shown(name));
        }
    }

    /// A fault for each name, with the closest known name.
    pub(crate) fn faults<Known: AsRef<str>>(&self, known: &[Known]) -> Vec<FieldFault> {
        self.0.iter().map(|name| FieldFault::new(name.clone(), advice(name, known))).collect()
    }
}

/// The start of a member's name, for an error.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(SHOWN_NAME_LENGTH_MAX).collect()
}

fn advice<Known: AsRef<str>>(name: &str, known: &[Known]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    match closest_name(name, known.iter().copied()) {
        Some(meant) => format!("is unknown; did you mean {meant}?"),
        None if known.is_empty() => "is unknown; the parameters of this call are in its query".to_owned(),
        None => format!("is unknown; known are {}", known.join(", ")),
    }
}

/// Returns the result of the known fields if `unknown` is empty. Otherwise the error has the faults of all members.
pub(crate) fn unless_unknown<T>(unknown: Vec<FieldFault>, read: Result<T, ApiError>) -> Result<T, ApiError> {
    if unknown.is_empty() {
        return read;
    }
    let others = match read {
        Err(ApiError::AtFault(_, faults)) => faults,
        Err(_) | Ok(_) => Vec::new(),
    };
    Err(ApiError::AtFault(ErrorCode::UnknownField, unknown.into_iter().take(NAMED_MAX).chain(others).collect()))
}
