use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::{Client, Error, FullKey};

/// What a secret scanner calls: it needs an [`OperatorToken`](crate::OperatorToken) as credential.
impl Client {
    /// Revokes keys that were found in the open, whoever owns them; at most 1,000. For each, in the same order, the id
    /// of the key; `None` where it is no key. Reporting one again changes nothing and succeeds.
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
