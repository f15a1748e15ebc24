use std::collections::BTreeMap;
use std::net::SocketAddr;

use serde_json::json;

use super::wire::{Connection, Request, Response};

/// A browser: it keeps cookies, marks calls as those of its pages, and follows redirects.
///
/// It has cookies of one site. All instances of a test are on this machine, and a cookie does not depend on the port.
#[derive(Clone, Default)]
pub(crate) struct Browser {
    cookies: BTreeMap<String, String>,
}

impl Browser {
    /// Signs in at this instance as a user of the development provider, and returns the last page.
    pub(crate) async fn sign_in(&mut self, address: SocketAddr, user: &str, next: &str) -> Response {
        let login = self.send(address, Request::new("GET", &format!("/console/login?next={next}"))).await;
        assert_eq!(login.status, 303, "{}", login.text());
        let callback = self.identify(&login, user).await;
        self.open(&callback).await
    }

    /// Goes from the answer of `/console/login` to the provider, and returns the URL that the provider leads to.
    pub(crate) async fn identify(&mut self, login: &Response, user: &str) -> String {
        self.identify_at(login.header("location").expect("a location"), user).await
    }

    /// Logs in at this URL of the provider, and returns the URL that the provider leads to.
    pub(crate) async fn identify_at(&mut self, url: &str, user: &str) -> String {
        let (provider, page) = located(url);
        let query = page.split_once('?').expect("a query").1;
        let form = Request::new("POST", page.split('?').next().unwrap_or_default());
        let form = form.text("application/x-www-form-urlencoded", &format!("{query}&username={user}"));
        let identified = self.send(provider, form).await;
        assert_eq!(identified.status, 303, "{}", identified.text());
        identified.header("location").expect("a location").to_owned()
    }

    /// Opens a URL, as a link on another site does.
    pub(crate) async fn open(&mut self, url: &str) -> Response {
        let (address, path) = located(url);
        self.exchange(address, Request::new("GET", &path).header("sec-fetch-site", "cross-site")).await
    }

    /// A browser that a portal link for this user has signed in, and the code of the link.
    pub(crate) async fn by_link(address: SocketAddr, operator_token: &str, user: &str) -> (Self, String) {
        let mut browser = Self::default();
        let link = Request::new("POST", "/api/operator/portal-links").bearer(operator_token);
        let link = browser.send(address, link.json(&json!({ "userId": user }))).await.json();
        let code = link["url"].as_str().expect("a URL").split_once('#').expect("a fragment").1.to_owned();
        let open = Request::new("POST", "/api/session").json(&json!({ "code": code }));
        let opened = browser.send(address, open).await;
        assert_eq!(opened.status, 200, "{}", opened.text());
        (browser, code)
    }

    /// Makes a call of a page of this instance.
    pub(crate) async fn send(&mut self, address: SocketAddr, request: Request) -> Response {
        self.exchange(address, request.header("sec-fetch-site", "same-origin")).await
    }

    /// The value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    async fn exchange(&mut self, address: SocketAddr, request: Request) -> Response {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let request = request.header("host", &address.to_string()).header("cookie", &cookies.join("; "));
        let mut connection = Connection::open(address).await.expect("the server accepts connections");
        let response = connection.exchange(&request).await.expect("an answer");
        for (_, line) in response.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, rest) = line.split_once('=').expect("a cookie");
            self.cookies.remove(name);
            if !line.contains("Max-Age=0;") {
                self.cookies.insert(name.to_owned(), rest.split(';').next().unwrap_or_default().to_owned());
            }
        }
        response
    }
}

/// The address and the path in a URL of this machine.
fn located(url: &str) -> (SocketAddr, String) {
    let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("not on this machine: {url}"));
    let (address, path) = rest.split_once('/').expect("a path");
    (address.parse().expect("an address"), format!("/{path}"))
}

/// The URL to which a page leads without a click.
pub(crate) fn led_to(page: &Response) -> String {
    assert_eq!(page.status, 200, "{}", page.text());
    let text = page.text();
    let (_, rest) = text.split_once("content=\"0;url=").unwrap_or_else(|| panic!("leads nowhere: {text}"));
    rest.split('"').next().unwrap_or_default().replace("&#38;", "&")
}
