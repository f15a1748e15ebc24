use std::collections::BTreeMap;

/// The parameters of a request, from its query or its form.
pub(super) struct Parameters(BTreeMap<String, String>);

/// The largest size of the parameters, in bytes.
const PARAMETERS_SIZE_BYTES_MAX: usize = 16 * 1024;

impl Parameters {
    /// Parses `application/x-www-form-urlencoded`; `None` if a parameter occurs twice (RFC 6749 section 3.1), or they are too
    /// large. A parameter without a value counts as missing.
    pub(super) fn read(encoded: &[u8]) -> Option<Self> {
        if encoded.len() > PARAMETERS_SIZE_BYTES_MAX {
            return None;
        }
        let mut parameters = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(encoded) {
            if parameters.insert(name.into_owned(), value.into_owned()).is_some() {
                return None;
            }
        }
        parameters.retain(|_, value| !value.is_empty());
        Some(Self(parameters))
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}
