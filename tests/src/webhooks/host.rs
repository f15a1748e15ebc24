use std::net::SocketAddr;

use serde_json::{Value, json};

use super::receiver::{Behaviour, Receiver};
use crate::harness::{Connection, Gatepost, Request, Response, Setup, Storage, eventually};

pub(crate) const OPERATOR_TOKEN: &str = "operator-operator-operator-operator-operator";
pub(crate) const SUBSCRIPTIONS: &str = "/api/webhooks/subscriptions";
pub(crate) const DELIVERIES: &str = "/api/webhooks/deliveries";

/// `gatepost serve` with webhooks that may reach this machine.
pub(crate) async fn setup(storage: &Storage) -> Setup {
    let setup = Setup::serve(storage).await.with("OPERATOR_TOKEN", OPERATOR_TOKEN);
    setup.with("WEBHOOK_ALLOW_HTTP", "true").with("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8")
}

/// An instance, a receiver that answers 200, and a consumer: alice.
pub(crate) async fn started(setup: Setup) -> (Gatepost, Receiver, Consumer) {
    let gatepost = setup.start().await;
    let consumer = Consumer::new(&gatepost, "alice").await;
    (gatepost, Receiver::start(Behaviour::ok()).await, consumer)
}

/// A call of the host application, below `/api/operator/`.
pub(crate) fn by_host(method: &str, path: &str) -> Request {
    Request::new(method, &format!("/api/operator/{path}")).bearer(OPERATOR_TOKEN)
}

/// Publishes events of alice in one call.
pub(super) async fn publish_batch(instance: &Gatepost, event_type: &str, count: usize) {
    let events = vec![json!({ "userId": "alice", "type": event_type, "data": null }); count];
    let response = instance.send(&by_host("POST", "events/batch").json(&json!({ "events": events }))).await;
    assert_eq!(response.status, 202, "{}", response.text());
}

/// The host application, which publishes.
#[derive(Clone, Copy)]
pub(crate) struct Host(pub(crate) SocketAddr);

impl Host {
    pub(crate) async fn try_publish(&self, event: &Value) -> std::io::Result<Response> {
        let request = by_host("POST", "events").json(event);
        Connection::open(self.0).await?.exchange(&request).await
    }

    /// Publishes an event, which must be accepted, and returns the answer.
    pub(crate) async fn publish(&self, user: &str, event_type: &str, data: Value) -> Value {
        let event = json!({ "userId": user, "type": event_type, "data": data });
        let response = self.try_publish(&event).await.expect("an answer");
        assert_eq!(response.status, 202, "{}", response.text());
        response.json()
    }
}

/// A developer of a customer, with an API key.
#[derive(Clone)]
pub(crate) struct Consumer {
    address: SocketAddr,
    key: String,
}

impl Consumer {
    /// A consumer with a new key.
    pub(crate) async fn new(gatepost: &Gatepost, user: &str) -> Self {
        let (key, _) = gatepost.user(user).created("webhooks").await;
        Self { address: gatepost.address(), key }
    }

    /// The same consumer at another instance.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { address, key: self.key.clone() }
    }

    pub(crate) async fn send(&self, request: Request) -> Response {
        let request = request.header("x-api-key", &self.key);
        let mut connection = Connection::open(self.address).await.expect("the server accepts connections");
        connection.exchange(&request).await.expect("an answer")
    }

    /// The answer of a call that must succeed.
    pub(crate) async fn call(&self, request: Request) -> Value {
        let what = format!("{} {}", request.method, request.path);
        let response = self.send(request).await;
        assert!((200..300).contains(&response.status), "{what}: {} {}", response.status, response.text());
        if response.body.is_empty() { Value::Null } else { response.json() }
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.call(Request::new("GET", path)).await
    }

    /// Makes a subscription, and returns its id and the answer.
    pub(crate) async fn create(&self, wish: &Value) -> (String, Value) {
        let answer = self.call(Request::new("POST", SUBSCRIPTIONS).json(wish)).await;
        (answer["subscription"]["id"].as_str().expect("an id").to_owned(), answer)
    }

    /// Subscribes this URL, and returns the subscription's id and secret.
    pub(crate) async fn subscribe(&self, url: &str, events: &[&str]) -> (String, String) {
        let (id, answer) = self.create(&json!({ "url": url, "events": events })).await;
        (id, answer["secret"].as_str().expect("a secret").to_owned())
    }

    pub(crate) async fn deliveries(&self, query: &str) -> Vec<Value> {
        let answer = self.get(&format!("{DELIVERIES}?{query}")).await;
        answer["deliveries"].as_array().expect("deliveries is an array").clone()
    }

    /// Waits until the one delivery to this subscription is in this state and has an attempt, and returns its details.
    pub(crate) async fn delivery_in(&self, subscription: &str, state: &str) -> Value {
        eventually(&format!("a delivery to {subscription} is {state}"), async || {
            let found = self.deliveries(&format!("subscriptionId={subscription}&state={state}")).await;
            let id = found.first()?["id"].as_str()?.to_owned();
            let detail = self.get(&format!("{DELIVERIES}/{id}")).await;
            (!detail["attempts"].as_array()?.is_empty()).then_some(detail)
        })
        .await
    }
}
