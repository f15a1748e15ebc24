//! A connection to a running Gatepost: what the commands share that are clients of its API.

use anyhow::Result;
use gatepost_client::{Client, Error, FullKey, IdToken, OperatorToken};

use crate::commands::dev::data_folder::find_operator_token;
use crate::commands::token::dev_id_token;
use crate::configuration::{Configuration, InvalidConfiguration, Loaded, Problem, Remote, Secret, WebAddress};

/// Where Gatepost is, and whom we can call it as.
pub(crate) struct Connection {
    client: Client,
    url: WebAddress,
    remote: Remote,
    /// That of the server, where it says where the server is.
    configuration: Option<Configuration>,
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
        let (url, configuration) = if let Some(url) = &remote.url {
            (url.clone(), None)
        } else {
            let configuration = configured()?.configuration;
            (configuration.address(), Some(configuration))
        };
        Ok(Self { client: Client::new(url.as_str())?, url, remote, configuration })
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

    /// A client that is a user in what takes an API key, too: as [`Connection::user`], but without `user` the owner of
    /// `GATEPOST_API_KEY` comes first.
    ///
    /// # Errors
    ///
    /// When there is no credential, or none can be had.
    pub(crate) async fn consumer(&self, user: Option<&str>) -> Result<Client> {
        match (user, &self.remote.api_key, &self.remote.id_token) {
            (None, Some(key), _) => Ok(self.client.with_credential(FullKey::new(key.expose()))),
            (None, None, None) => Err(InvalidConfiguration::from(no_consumer()).into()),
            _ => self.user(user).await,
        }
    }

    /// A client that is the operator: with `GATEPOST_OPERATOR_TOKEN`, or with the token of the server that the
    /// configuration at hand describes, as it stands there or as `gatepost dev` made it.
    ///
    /// # Errors
    ///
    /// When there is no token, or it cannot be read.
    pub(crate) fn operator(&self) -> Result<Client> {
        let token = match (&self.remote.operator_token, &self.configuration) {
            (Some(token), _) => Some(token.clone()),
            (None, Some(configuration)) => operator_token(configuration)?,
            (None, None) => None,
        };
        let token = token.ok_or_else(|| InvalidConfiguration::from(no_operator()))?;
        Ok(self.client.with_credential(OperatorToken::new(token.expose())))
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

/// What to add to a command that is suggested to whoever gave this `--user`.
pub(crate) fn user_argument(user: Option<&str>) -> String {
    user.map(|user| format!(" --user {user}")).unwrap_or_default()
}

/// The port must be known, or there is nobody to ask.
pub(crate) fn needs(configuration: &Configuration) -> Vec<Problem> {
    if configuration.public_url.is_some() || configuration.listen.port() != 0 {
        return Vec::new();
    }
    let rule = format!("whoever calls must know the port: set {} to what `gatepost dev` printed", Remote::URL);
    vec![Problem::NotForThisCommand { name: "LISTEN", shown: configuration.listen.to_string(), rule }]
}

fn operator_token(configuration: &Configuration) -> Result<Option<Secret>> {
    match &configuration.operator_token {
        Some(token) => Ok(Some(token.clone())),
        None => find_operator_token(&configuration.database_url),
    }
}

fn no_consumer() -> Problem {
    let what = "an API key, or GATEPOST_ID_TOKEN, says whose webhooks they are; each may be in a file, which NAME_FILE \
                names. Where `gatepost dev` runs, --user NAME is enough";
    Problem::Missing { name: Remote::API_KEY, what: what.to_owned() }
}

fn no_operator() -> Problem {
    let what = "only the operator publishes; the token may be in a file, which GATEPOST_OPERATOR_TOKEN_FILE names. In \
                the folder where `gatepost dev` runs, it is found by itself, unless GATEPOST_URL is set";
    Problem::Missing { name: Remote::OPERATOR_TOKEN, what: what.to_owned() }
}

fn nobody() -> Problem {
    let what = "an ID token says whose keys they are; it may be in a file, which GATEPOST_ID_TOKEN_FILE names. Where \
                `gatepost dev` runs, --user NAME gets one from it";
    Problem::Missing { name: Remote::ID_TOKEN, what: what.to_owned() }
}
