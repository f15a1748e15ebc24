//! A Gatepost with a user who subscribes local receivers.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::connection::{Connection, request_to};
use crate::gatepost::Gatepost;
use crate::store::{Data, Store};
use crate::subject::OPERATOR_TOKEN;

pub(crate) struct Subject {
    pub(crate) gatepost: Gatepost,
    pub(super) data: Box<dyn Data>,
}

impl Subject {
    /// Starts a Gatepost with a quiet log and these settings.
    pub(crate) async fn start(store: &dyn Store, settings: &[(&str, &str)]) -> anyhow::Result<Self> {
        let mut gatepost = Gatepost::new()?;
        gatepost.set("OPERATOR_TOKEN", OPERATOR_TOKEN);
        gatepost.set("LOG", "warn");
        for (name, value) in settings {
            gatepost.set(name, value);
        }
        let data = store.attach(&mut gatepost).await?;
        gatepost.start().await?;
        Ok(Self { gatepost, data })
    }

    /// Processor time so far, of the service and of its database.
    pub(crate) fn processor_times(&self) -> anyhow::Result<[Duration; 2]> {
        Ok([self.gatepost.usage()?.processor_time()?, self.data.processor_time()?])
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.gatepost.address()
    }

    /// Subscribes these receivers to all events of the user.
    pub(crate) async fn subscribe(&self, user: &str, receivers: &[SocketAddr]) -> anyhow::Result<()> {
        self.subscribe_with(user, receivers, &json!({})).await
    }

    /// The same with these other fields of the subscriptions.
    pub(crate) async fn subscribe_with(
        &self,
        user: &str,
        receivers: &[SocketAddr],
        options: &Value,
    ) -> anyhow::Result<()> {
        let token = self.gatepost.run(&["token", "--user", user])?;
        let mut connection = Connection::open(self.address()).await?;
        for receiver in receivers {
            let mut body = options.clone();
            body["url"] = format!("http://{receiver}/").into();
            body["events"] = json!(["*"]);
            connection.succeed(&post("/api/webhooks/subscriptions", &token, &body)).await?;
        }
        Ok(())
    }
}

/// The request that publishes an event of the user, with a number as its data.
pub(crate) fn publication(user: &str, number: usize) -> Vec<u8> {
    post("/api/operator/events", OPERATOR_TOKEN, &event(user, number))
}

/// The request that gives the event to the bare relay, for this receiver.
pub(crate) fn relayed(receiver: SocketAddr, user: &str, number: usize) -> Vec<u8> {
    post(&format!("/relay/{receiver}"), OPERATOR_TOKEN, &event(user, number))
}

/// The request that publishes several at once.
pub(crate) fn batch(user: &str, numbers: std::ops::Range<usize>) -> Vec<u8> {
    let events: Vec<Value> = numbers.map(|number| event(user, number)).collect();
    post("/api/operator/events/batch", OPERATOR_TOKEN, &json!({ "events": events }))
}

/// The request that publishes one event of each number, of the users in turn.
pub(crate) fn events_of(users: &[String], numbers: std::ops::Range<usize>) -> Vec<u8> {
    let events: Vec<Value> = numbers.map(|number| event(&users[number % users.len()], number)).collect();
    post("/api/operator/events/batch", OPERATOR_TOKEN, &json!({ "events": events }))
}

/// Sends a publication that must be accepted.
pub(crate) async fn publish(connection: &mut Connection, request: &[u8]) -> anyhow::Result<()> {
    let (status, body) = connection.exchange(request).await.context("publishing")?;
    ensure!(status == 202, "{status}: {}", String::from_utf8_lossy(body));
    Ok(())
}

fn event(user: &str, number: usize) -> Value {
    json!({ "userId": user, "type": "invoice.paid", "data": number })
}

fn post(path: &str, token: &str, body: &Value) -> Vec<u8> {
    request_to(path, "POST", token, &body.to_string())
}
