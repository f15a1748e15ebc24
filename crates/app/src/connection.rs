//! A connection to a running Gatepost: what the commands share that are clients of its API.

use anyhow::Result;
use client::{Client, Error, IdToken, OperatorToken};

use crate::commands::token::dev_id_token;
use crate::configuration::{Configuration, InvalidConfiguration, Loaded, Problem, Remote, WebAddress};

/// Where Gatepost is, and whom we can call it as.
pub(crate) struct Connection {
    client: Client,
    url: WebAddress,
    remote: Remote,
}

/// With which right the keys of a user are looked at.
pub(crate) enum Access {
    /// As that user.
    User(Client),
    /// As the operator, for the user with this id.
    Operator(Client, String),
}

impl Connection {
    /// To `GATEPOST_URL`; without it to where the server would be found that this configuration describes, which is
    /// asked for only then.
    ///
    /// # Errors
    ///
    /// When nothing says where.
    pub(crate) fn open(
        remote: Remote,
        configured: impl FnOnce() -> Result<Loaded, InvalidConfiguration>,
    ) -> Result<Self> {
        let url = match &remote.url {
            Some(url) => url.clone(),
            None => configured()?.configuration.address(),
        };
        Ok(Self { client: Client::new(url.as_str())?, url, remote })
    }

    /// A client without a credential.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// A client that is a user: with `user` the one of that name whom the running `gatepost dev` knows, without it the
    /// owner of `GATEPOST_ID_TOKEN`.
    ///
    /// # Errors
    ///
    /// When there is no ID token, or none can be had.
    pub(crate) async fn user(&self, user: Option<&str>) -> Result<Client> {
        let token = match (user, &self.remote.id_token) {
            (Some(user), _) => IdToken::new(dev_id_token(&self.url, user).await?.expose()),
            (None, Some(token)) => IdToken::new(token.expose()),
            (None, None) => return Err(InvalidConfiguration::from(nobody()).into()),
        };
        Ok(self.client.with_credential(token))
    }

    /// The right to look at the keys of `user`: the operator's where `GATEPOST_OPERATOR_TOKEN` is set, else their own.
    ///
    /// # Errors
    ///
    /// As [`Connection::user`].
    pub(crate) async fn access(&self, user: Option<&str>) -> Result<Access> {
        match (user, &self.remote.operator_token) {
            (Some(user), Some(token)) => {
                let operator = self.client.with_credential(OperatorToken::new(token.expose()));
                Ok(Access::Operator(operator, user.to_owned()))
            }
            _ => self.user(user).await.map(Access::User),
        }
    }

    /// The outcome of a call, where a silence says whose it is.
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

/// The port must be known, or there is nobody to ask.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    if configuration.public_url.is_some() || configuration.listen.port() != 0 {
        return Vec::new();
    }
    let rule = format!("whoever calls must know the port: set {} to what `gatepost dev` printed", Remote::URL);
    vec![Problem::NotForThisCommand { name: "LISTEN", shown: configuration.listen.to_string(), rule }]
}

fn nobody() -> Problem {
    let what = "an ID token says whose keys they are; it may be in a file, which GATEPOST_ID_TOKEN_FILE names. Where \
                `gatepost dev` runs, --user NAME gets one from it";
    Problem::Missing { name: Remote::ID_TOKEN, what: what.to_owned() }
}
