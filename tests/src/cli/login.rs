//! `gatepost login` with a browser. The browser is a client of HTTP: everything else is real.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Stdio};

use super::Shell;
use crate::harness::{Browser, Gatepost, Request, Response, Setup, Storage, complaint, free_address};
use crate::sign_in;

/// A login that waits for its browser.
struct Login {
    process: Child,
    said: BufReader<ChildStderr>,
    /// The page of the provider.
    url: String,
}

impl Login {
    fn begin(shell: &Shell, line: &str) -> Self {
        let mut process = shell.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(process.stderr.take().unwrap());
        let mut url = String::new();
        while !url.starts_with("http") {
            url.clear();
            assert!(said.read_line(&mut url).unwrap() > 0, "the login ended without a URL");
        }
        Self { process, said, url: url.trim_end().to_owned() }
    }

    /// A parameter of the URL, as it is written there.
    fn parameter(&self, name: &str) -> &str {
        let value = self.url.split(['?', '&']).find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("{name}: {}", self.url))
    }

    /// The URL on this machine to which the provider leads, with this query.
    fn callback(&self, query: &str) -> String {
        let uri = self.parameter("redirect_uri").replace("%3A", ":").replace("%2F", "/");
        assert!(uri.starts_with("http://127.0.0.1:") && uri.ends_with("/callback"), "{uri}");
        format!("{uri}?{query}")
    }

    /// A person logs in at the provider, and gets the last page.
    async fn follow(&self, user: &str) -> Response {
        let mut browser = Browser::default();
        let callback = browser.identify_at(&self.url, user).await;
        browser.open(&callback).await
    }

    /// The exit code, and everything that was printed.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        self.process.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        (self.process.wait().unwrap().code(), said)
    }
}

/// `gatepost dev`, and a shell with a home.
async fn dev() -> (Gatepost, Shell, String) {
    let gatepost = Setup::dev().await.start().await;
    let (shell, url) = with_home(&gatepost);
    (gatepost, shell, url)
}

/// A shell with a home, and the URL of the instance.
pub(super) fn with_home(gatepost: &Gatepost) -> (Shell, String) {
    let home = gatepost.folder().join("home");
    fs::create_dir(&home).unwrap();
    let shell = Shell { folder: gatepost.folder(), environment: Vec::new() }.with("HOME", home.to_str().unwrap());
    (shell, format!("http://{}", gatepost.address()))
}

fn profile(shell: &Shell, name: &str) -> Option<String> {
    fs::read_to_string(shell.folder.join("home/.config/gatepost/profiles").join(name)).ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_people_log_in_at_once_with_a_browser() {
    let (gatepost, shell, url) = dev().await;
    let logins = ["alice", "bob"].map(|user| {
        let login = Login::begin(&shell, &format!("login {url} --no-browser --json --profile {user}"));
        (user, login)
    });
    let mut browser = Browser::default();
    let foreign = browser.identify_at(&logins[0].1.url, "mallory").await;
    let query = foreign.split_once('?').unwrap().1;
    let page = browser.open(&logins[1].1.callback(query)).await;
    assert_eq!((page.status, page.text().contains("Another login")), (400, true), "{}", page.text());
    for query in ["", "code=c", "code=c&state=", "error=access_denied&state=AAAA"] {
        assert_eq!(browser.open(&logins[1].1.callback(query)).await.status, 400, "{query}");
    }
    for (user, login) in logins {
        let page = login.follow(user).await;
        assert!(page.status == 200 && page.text().contains("You can close this window"), "{}", page.text());
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        let (code, said) = login.end();
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(&format!("signed in as {user}")), "{said}");
        let saved = profile(&shell, user).unwrap();
        let token = saved.lines().find_map(|line| line.strip_prefix("GATEPOST_ID_TOKEN=")).unwrap();
        assert!(!said.contains(token) && !gatepost.written().contains(token), "the token is shown");
        shell.succeeds(&format!("keys create of-{user} --profile {user}"));
        assert!(shell.succeeds(&format!("keys list --profile {user}")).contains(&format!("of-{user}")));
    }
}

/// None of them saves a profile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_that_fails_says_why() {
    let (_gatepost, shell, url) = dev().await;
    let line = format!("login {url} --no-browser");
    let forged = format!("code=forged&iss={}%2Fdev%2Foidc", url.replace('/', "%2F"));
    for (query, reason) in [
        ("error=access_denied&error_description=no%1b%5b2J", "signed nobody in: access_denied: no[2J"),
        (&*forged, "the sign-in is refused: the token endpoint does not accept the code"),
        ("code=forged", "the answer has no iss"),
        ("code=forged&iss=https%3A%2F%2Fevil.example", "the answer's iss is not the configured issuer"),
        ("iss=x", "neither a code nor an error"),
    ] {
        let login = Login::begin(&shell, &line);
        let callback = login.callback(&format!("{query}&state={}", login.parameter("state")));
        assert_eq!(Browser::default().open(&callback).await.status, 200);
        let (code, said) = login.end();
        assert!(code == Some(1) && said.contains(reason), "{code:?}: {said}");
    }
    let late = Login::begin(&shell, &format!("{line} --wait 1s")).end();
    assert!(late.0 == Some(1) && late.1.contains("nobody has signed in within 1 s"), "{late:?}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for (line, code, reason) in [
        (format!("{line} --port {port}"), 1, "another --port"),
        (format!("{line} --port {port} --api-key"), 2, "cannot be used with"),
        (format!("login {url}"), 2, "add --no-browser"),
        ("login http://gatepost.example --no-browser".to_owned(), 1, "needs https"),
        (format!("login http://{} --no-browser", free_address()), 5, "cannot ask"),
    ] {
        let output = shell.run(&line);
        assert!(output.status.code() == Some(code) && complaint(&output).contains(reason), "{line}: {output:?}");
    }
    assert!(!shell.folder.join("home/.config").exists());
}

/// A service has its own client for command lines, and accepts its tokens.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_names_the_client_of_command_lines() {
    let (provider, storage) = (Setup::dev().await.start().await, Storage::sqlite());
    let setup = sign_in::setup(&storage, &provider, free_address()).await;
    let setup = setup.with("OIDC_AUDIENCE", "console").with("OIDC_CLIENT_ID", "console");
    let mut none = setup.twin().start().await;
    let (shell, url) = with_home(&none);
    let refused = shell.run(&format!("login {url} --no-browser"));
    assert!(refused.status.code() == Some(1) && complaint(&refused).contains("OIDC_CLI_CLIENT_ID"), "{refused:?}");
    let answer = none.send(&Request::new("GET", "/api/command-line-client")).await;
    assert_eq!((answer.status, &answer.json()["code"]), (404, &"command_line_sign_in_off".into()));
    none.kill().await;

    let secret = setup.twin().with("OIDC_CLIENT_SECRET", "swordfish").with("OIDC_CLI_CLIENT_ID", "console");
    let (_, said) = secret.start_refused().await;
    assert!(said.contains("OIDC_CLI_CLIENT_ID") && !said.contains("swordfish"), "{said}");
    let access_only = setup.twin().with("OIDC_TOKENS", "access").with("OIDC_CLI_CLIENT_ID", "gatepost-dev");
    let (_, said) = access_only.start_refused().await;
    assert!(said.contains("OIDC_CLI_CLIENT_ID") && said.contains("OIDC_TOKENS"), "{said}");

    let gatepost = setup.with("OIDC_CLI_CLIENT_ID", "gatepost-dev").start().await;
    let (shell, url) = with_home(&gatepost);
    let login = Login::begin(&shell, &format!("login {url} --no-browser"));
    assert_eq!(login.follow("alice").await.status, 200);
    let (code, said) = login.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(shell.succeeds("keys list"), "no keys");
}
