use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::rest_client::{NO_BODY, member};
use crate::{Client, Error};

/// Which lines the log of an instance has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct LogFilter {
    /// The filter that applies, in the form of the setting `LOG`.
    pub filter: String,
    /// The filter that applied before a change; `None` without a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// The log of the instance that answers. These calls need an [`OperatorToken`](crate::OperatorToken) with the scope `admin`
/// as credential.
impl Client {
    /// Which lines the log has.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn find_log_filter(&self) -> Result<LogFilter, Error> {
        self.call(Method::GET, "/api/operator/log-filter", NO_BODY).await
    }

    /// Chooses the lines of the log, until the instance restarts or gets SIGHUP.
    ///
    /// # Errors
    ///
    /// Code `invalid_field` if the service does not know such a filter. Otherwise see [`Error`].
    pub async fn change_log_filter(&self, filter: &str) -> Result<LogFilter, Error> {
        self.call(Method::POST, "/api/operator/log-filter", Some(&member("filter", filter))).await
    }
}
