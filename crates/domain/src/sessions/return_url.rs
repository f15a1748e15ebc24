use std::fmt;

use url::Url;

/// Why a string is not a valid [`ReturnUrl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an http or https URL of at most {} bytes without a user name", ReturnUrl::LENGTH_MAX)]
pub struct InvalidReturnUrl;

/// The page of the host application to which a visitor goes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnUrl(String);

impl ReturnUrl {
    /// The longest URL, in bytes.
    pub const LENGTH_MAX: usize = 1_024;

    /// Parses a URL, and writes it as browsers do.
    ///
    /// # Errors
    ///
    /// If it is not a web address.
    pub fn parse(text: &str) -> Result<Self, InvalidReturnUrl> {
        let url = Url::parse(text).map_err(|_| InvalidReturnUrl)?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.has_host();
        let fits = url.as_str().len() <= Self::LENGTH_MAX;
        let is_web = matches!(url.scheme(), "http" | "https");
        (is_plain && fits && is_web).then(|| Self(url.into())).ok_or(InvalidReturnUrl)
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReturnUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_to_a_web_page() {
        for good in ["https://app.example/keys?a=b#c", "http://127.0.0.1:3000/"] {
            assert_eq!(ReturnUrl::parse(good).map(|url| url.0), Ok(good.to_owned()));
        }
        assert_eq!(
            ReturnUrl::parse("https://app.example/a\nb").map(|url| url.0),
            Ok("https://app.example/ab".to_owned())
        );
        let long = format!("https://app.example/{}", "a".repeat(ReturnUrl::LENGTH_MAX));
        for wrong in [
            "",
            "/keys",
            "javascript:alert(1)",
            "data:text/html,x",
            "https://u:p@app.example/",
            "https://u@a.example",
            &long,
        ] {
            assert_eq!(ReturnUrl::parse(wrong), Err(InvalidReturnUrl), "{wrong}");
        }
    }
}
