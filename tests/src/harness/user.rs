use std::net::SocketAddr;

use serde_json::{Value, json};

use super::wire::{Connection, Request, Response};

pub(crate) const KEYS: &str = "/api/api-keys";

/// A user that manages keys. Each call opens a connection.
#[derive(Clone)]
pub(crate) struct User {
    address: SocketAddr,
    pub(crate) token: String,
}

impl User {
    pub(crate) fn new(address: SocketAddr, token: String) -> Self {
        Self { address, token }
    }

    /// The same user at another instance.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { address, token: self.token.clone() }
    }

    pub(crate) fn request(&self, method: &str) -> Request {
        Request::new(method, KEYS).bearer(&self.token)
    }

    pub(crate) async fn send(&self, request: &Request) -> Response {
        self.try_send(request).await.expect("an answer")
    }

    pub(crate) async fn try_send(&self, request: &Request) -> std::io::Result<Response> {
        Connection::open(self.address).await?.exchange(request).await
    }

    pub(crate) async fn list(&self) -> Response {
        self.send(&self.request("GET")).await
    }

    pub(crate) async fn create(&self, label: &str) -> Response {
        self.post(&json!({ "label": label })).await
    }

    pub(crate) async fn post(&self, body: &Value) -> Response {
        self.send(&self.request("POST").json(body)).await
    }

    pub(crate) async fn revoke(&self, id: &str) -> Response {
        self.delete(&json!({ "keyId": id })).await
    }

    pub(crate) async fn delete(&self, body: &Value) -> Response {
        self.send(&self.request("DELETE").json(body)).await
    }

    /// The records of the user's keys; the call must succeed.
    pub(crate) async fn keys(&self) -> Vec<Value> {
        let response = self.list().await;
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()["keys"].as_array().expect("keys is an array").clone()
    }

    /// Creates a key, which must succeed: the full key and its id.
    pub(crate) async fn created(&self, label: &str) -> (String, String) {
        let response = self.create(label).await;
        assert_eq!(response.status, 200, "{}", response.text());
        let answer = response.json();
        let text = |name: &str| answer[name].as_str().expect("a string").to_owned();
        (text("key"), text("keyId"))
    }
}
