use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::{fs, io};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors<Case> {
    #[serde(rename = "about")]
    _about: String,
    cases: Vec<Case>,
}

/// The cases of a file of `clients/conformance`.
pub(crate) fn cases<Case: DeserializeOwned>(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/conformance").join(file);
    serde_json::from_str::<Vectors<Case>>(&fs::read_to_string(path).unwrap()).unwrap().cases
}

/// An answer of the service in a vector.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: serde_json::Map<String, Value>,
    /// JSON, or the text of the body.
    pub(crate) body: Value,
    /// The service closes the connection.
    #[serde(rename = "noAnswer")]
    pub(crate) is_silent: bool,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            status: 200,
            headers: serde_json::Map::new(),
            body: Value::Object(serde_json::Map::new()),
            is_silent: false,
        }
    }
}

/// A service that plays the answers of a test in turn, and repeats the last one. Each request has a connection of its
/// own.
#[derive(Clone)]
pub(crate) struct Played(Arc<Mutex<Script>>, String);

#[derive(Default)]
struct Script {
    answers: Vec<Answer>,
    /// Requests since the last change of the answers.
    answered: usize,
    requests: usize,
}

impl Played {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let played = Self(Arc::default(), format!("http://{}", listener.local_addr().unwrap()));
        let service = played.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = service.clone();
                // The client may close the connection at any time.
                tokio::spawn(async move { service.serve(stream).await.ok() });
            }
        });
        played
    }

    pub(crate) fn url(&self) -> &str {
        &self.1
    }

    /// Sets the answers of the service from now on.
    pub(crate) fn answers(&self, answers: Vec<Answer>) {
        let mut script = self.0.lock().unwrap();
        (script.answers, script.answered) = (answers, 0);
    }

    /// How many requests have arrived.
    pub(crate) fn requests(&self) -> usize {
        self.0.lock().unwrap().requests
    }

    fn next(&self) -> Answer {
        let mut script = self.0.lock().unwrap();
        let last = script.answers.len() - 1;
        let answer = script.answers[script.answered.min(last)].clone();
        script.answered += 1;
        script.requests += 1;
        answer
    }

    async fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut stream = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).await?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        stream.read_exact(&mut vec![0; length]).await?;
        let answer = self.next();
        if answer.is_silent {
            return Ok(());
        }
        let body = answer.body.as_str().map_or_else(|| answer.body.to_string(), str::to_owned);
        let mut head =
            format!("HTTP/1.1 {} -\r\nconnection: close\r\ncontent-length: {}\r\n", answer.status, body.len());
        for (name, value) in &answer.headers {
            write!(head, "{name}: {}\r\n", value.as_str().unwrap()).unwrap();
        }
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await
    }
}
