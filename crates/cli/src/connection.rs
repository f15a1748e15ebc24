use anyhow::Result;
use gatepost_client::{Client, Error, FullKey, OperatorToken, WebhookSecret};

use crate::owner::{Member, Owner};
use crate::remote::Remote;
use crate::token::dev_id_token;
use crate::web_address::WebAddress;

/// A connection to a running Gatepost: its URL, and the credentials to call it with.
pub struct Connection {
    client: Client,
    url: WebAddress,
    remote: Remote,
    local: Option<LocalServer>,
}

/// The server that the configuration of this machine describes.
pub struct LocalServer {
    /// Its base URL.
    pub url: WebAddress,
    /// Finds its operator token. Only commands of the operator call this function.
    pub operator_token: Box<dyn Fn() -> Result<Option<OperatorToken>>>,
    /// Finds the signing secret that `gatepost listen` keeps in the folder of `gatepost dev`; `None` without that
    /// folder.
    pub webhook_secret: Box<dyn Fn() -> Result<Option<WebhookSecret>>>,
}

/// A command needs a credential that is not set. The text says how to give one.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct MissingCredential(&'static str);

impl Connection {
    /// Connects to `GATEPOST_URL`, or, where that is not set, to the `local` server.
    ///
    /// # Errors
    ///
    /// The error of `local`, which is called only if `GATEPOST_URL` is not set.
    pub fn open<E>(remote: Remote, local: impl FnOnce() -> Result<LocalServer, E>) -> Result<Self>
    where
        anyhow::Error: From<E>,
    {
        let (url, local) = if let Some(url) = &remote.url {
            (url.clone(), None)
        } else {
            let local = local()?;
            (local.url.clone(), Some(local))
        };
        Ok(Self { client: Client::new(url.as_str())?, url, remote, local })
    }

    /// The base URL of the service.
    pub(crate) fn url(&self) -> &str {
        self.url.as_str()
    }

    /// A client without a credential.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// A client that calls for the owner with an ID token, or with the operator token if the owner is the operator's
    /// choice. The running `gatepost dev` gives the ID token of a user name; without a name it is `GATEPOST_ID_TOKEN`.
    ///
    /// # Errors
    ///
    /// If no credential is set, or `gatepost dev` gives none.
    pub(crate) async fn user(&self, owner: &Owner) -> Result<Client> {
        if let Some(of_operator) = owner.of_operator(self.remote.operator_token.is_some()) {
            return Ok(self.operator()?.for_owner(of_operator));
        }
        self.member(owner.member()).await
    }

    /// The same, but never with the operator token.
    async fn member(&self, member: &Member) -> Result<Client> {
        let token = match (member.user(), &self.remote.id_token) {
            (Some(user), _) => dev_id_token(self.url(), user).await?,
            (None, Some(token)) => token.clone(),
            (None, None) => return Err(no_id_token().into()),
        };
        let client = self.client.with_credential(token);
        let organization = member.organization();
        Ok(organization.into_iter().fold(client, |client, owner| client.for_owner(owner)))
    }

    /// A client for calls that accept an API key as well. If no owner is named, `GATEPOST_API_KEY` goes before
    /// `GATEPOST_ID_TOKEN`.
    ///
    /// # Errors
    ///
    /// If no credential is set, or `gatepost dev` gives none.
    pub(crate) async fn consumer(&self, owner: &Owner) -> Result<Client> {
        if owner.is_named() { self.user(owner).await } else { self.reader(owner.member()).await }
    }

    /// The same for calls that operators cannot make.
    ///
    /// # Errors
    ///
    /// As [`Connection::consumer`].
    pub(crate) async fn reader(&self, member: &Member) -> Result<Client> {
        match (&self.remote.api_key, &self.remote.id_token) {
            (Some(key), _) if !member.is_named() => Ok(self.client.with_credential(FullKey::clone(key))),
            (None, None) if !member.is_named() => Err(no_consumer().into()),
            _ => self.member(member).await,
        }
    }

    /// A client with the operator token: `GATEPOST_OPERATOR_TOKEN`, or else the token of the local server.
    ///
    /// # Errors
    ///
    /// When there is no token, or the token of the local server cannot be read.
    pub(crate) fn operator(&self) -> Result<Client> {
        let token = match (&self.remote.operator_token, &self.local) {
            (Some(token), _) => Some(token.clone()),
            (None, Some(local)) => (local.operator_token)()?,
            (None, None) => None,
        };
        Ok(self.client.with_credential(token.ok_or_else(no_operator_token)?))
    }

    /// The signing secret of `gatepost listen`: `GATEPOST_WEBHOOK_SECRET`, or else the one that is kept for the local
    /// server. `None` leaves the choice to the service.
    ///
    /// # Errors
    ///
    /// When the kept secret cannot be read or written.
    pub(crate) fn webhook_secret(&self) -> Result<Option<WebhookSecret>> {
        match (&self.remote.webhook_secret, &self.local) {
            (Some(secret), _) => Ok(Some(secret.clone())),
            (None, Some(local)) => (local.webhook_secret)(),
            (None, None) => Ok(None),
        }
    }

    /// The outcome of a call. If the service did not answer, the error names the URL.
    ///
    /// # Errors
    ///
    /// The call's own.
    pub(crate) fn heard<Answer>(&self, outcome: Result<Answer, Error>) -> Result<Answer> {
        outcome.map_err(|error| {
            let is_silence = matches!(error, Error::NoAnswer(_));
            let error = anyhow::Error::new(error);
            let url = &self.url;
            if is_silence {
                error.context(format!("nothing answers at {url}; is Gatepost running there?"))
            } else {
                error
            }
        })
    }
}

fn no_consumer() -> MissingCredential {
    MissingCredential(
        "you are not logged in; run `gatepost login`, or set GATEPOST_API_KEY or GATEPOST_ID_TOKEN (NAME_FILE reads \
         either from a file). Where `gatepost dev` runs, --user NAME is enough",
    )
}

fn no_operator_token() -> MissingCredential {
    MissingCredential(
        "only the operator makes this call, and you are not logged in as one; run `gatepost login`, or set \
         GATEPOST_OPERATOR_TOKEN or GATEPOST_OPERATOR_TOKEN_FILE. In the folder where `gatepost dev` runs, gatepost finds \
         the token itself, unless GATEPOST_URL is set",
    )
}

fn no_id_token() -> MissingCredential {
    MissingCredential(
        "you are not logged in; run `gatepost login`, or set GATEPOST_ID_TOKEN or GATEPOST_ID_TOKEN_FILE. Where \
         `gatepost dev` runs, --user NAME is enough",
    )
}
