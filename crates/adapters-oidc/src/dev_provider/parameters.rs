use std::collections::BTreeMap;

/// The parameters of a request, from its query or its form.
pub(super) struct Parameters(BTreeMap<String, String>);

/// The parameters cannot be read: one of them occurs twice, or they are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnreadableParameters;

/// The largest size of the parameters, in bytes.
const PARAMETERS_SIZE_BYTES_MAX: usize = 16 * 1024;

impl Parameters {
    /// Parses `application/x-www-form-urlencoded`. A parameter without a value counts as missing, and none may occur
    /// twice (RFC 6749 section 3.1).
    pub(super) fn read(encoded: &[u8]) -> Result<Self, UnreadableParameters> {
        if encoded.len() > PARAMETERS_SIZE_BYTES_MAX {
            return Err(UnreadableParameters);
        }
        let mut parameters = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(encoded) {
            if parameters.insert(name.into_owned(), value.into_owned()).is_some() {
                return Err(UnreadableParameters);
            }
        }
        parameters.retain(|_, value| !value.is_empty());
        Ok(Self(parameters))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}
