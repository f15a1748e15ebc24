use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, FullKey};

/// Leak reports of a secret scanner. This call needs an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Revokes up to 1,000 leaked keys of any user. Returns the id of each key in the same order, and `None` for a
    /// string that is not a key. Reporting a key again changes nothing and succeeds.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn report_leaks(&self, found: &[FullKey]) -> Result<Vec<Option<String>>, Error> {
        let report = Report { tokens: found.iter().map(FullKey::expose).collect() };
        let answer: Answer = self.call(Method::POST, "/api/operator/leaks", Some(&report)).await?;
        Ok(answer.key_ids)
    }
}

#[derive(Serialize)]
struct Report<'a> {
    tokens: Vec<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    key_ids: Vec<Option<String>>,
}
