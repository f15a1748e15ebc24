use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use super::binary::gatepost_binary;
use super::identity_provider::{AUDIENCE, IdentityProvider};
use super::storage::Storage;
use super::user::User;
use super::waiting::{eventually, until};
use super::wire::{Connection, Request, Response};

/// 32 zero bytes, in base64.
pub(crate) const ENCRYPTION_KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// The command and settings of an instance.
#[derive(Clone)]
pub(crate) struct Setup {
    arguments: Vec<String>,
    settings: Vec<(String, String)>,
    address: SocketAddr,
    provider: Arc<IdentityProvider>,
    binary: &'static Path,
}

impl Setup {
    /// `gatepost serve` on this database, with a new identity provider.
    pub(crate) async fn serve(storage: &Storage) -> Self {
        let setup = Self::of("serve").await.on(storage).with("OIDC_AUDIENCE", AUDIENCE);
        let issuer = setup.provider.issuer().to_owned();
        setup.with("OIDC_ISSUER", &issuer).with("ENCRYPTION_KEY", ENCRYPTION_KEY)
    }

    /// The same on this database.
    pub(crate) fn on(self, storage: &Storage) -> Self {
        storage.settings().iter().fold(self, |setup, (name, value)| setup.with(name, value))
    }

    /// `gatepost dev`, configured by its address only.
    pub(crate) async fn dev() -> Self {
        Self::of("dev").await
    }

    /// This command without settings. `dev` does not use the identity provider.
    async fn of(command: &str) -> Self {
        let (settings, address, binary) = (Vec::new(), free_address(), gatepost_binary());
        let provider = IdentityProvider::start().await;
        Self { arguments: vec![command.into()], settings, address, provider, binary }
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// The same with this configuration file.
    pub(crate) fn reading(mut self, file: &Path) -> Self {
        self.arguments.extend(["--config".to_owned(), file.display().to_string()]);
        self
    }

    /// The same with the console of this folder.
    pub(crate) fn with_web(mut self, folder: &Path) -> Self {
        self.arguments.extend(["--web".to_owned(), folder.display().to_string()]);
        self
    }

    /// The same on another port: a second process with the same database and provider.
    pub(crate) fn twin(&self) -> Self {
        Self { address: free_address(), ..self.clone() }
    }

    /// Starts this number of processes with the same database and provider, one after the other.
    pub(crate) async fn start_twins(&self, count: usize) -> Vec<Gatepost> {
        let mut twins = Vec::new();
        for _ in 0..count {
            twins.push(self.twin().start().await);
        }
        twins
    }

    /// The same with another binary.
    pub(crate) fn running(self, binary: &'static Path) -> Self {
        Self { binary, ..self }
    }

    /// The same on this port.
    pub(crate) fn at(self, address: SocketAddr) -> Self {
        Self { address, ..self }
    }

    pub(crate) async fn start(self) -> Gatepost {
        let mut gatepost = self.prepare();
        gatepost.start_again().await;
        gatepost
    }

    /// Starts a process that logs to a pipe, which only the caller can read.
    pub(crate) async fn start_with_an_unread_log(self) -> (Gatepost, ChildStderr) {
        let mut gatepost = self.prepare();
        gatepost.spawn_with(Stdio::piped());
        gatepost.ready().await;
        let log = gatepost.child.as_mut().and_then(|child| child.stderr.take()).expect("a pipe");
        (gatepost, log)
    }

    /// Starts a process that cannot become ready, and waits until it answers.
    pub(crate) async fn start_unready(self) -> Gatepost {
        let mut gatepost = self.prepare();
        gatepost.spawn();
        until("/livez answers", async || Connection::open(gatepost.address()).await.is_ok()).await;
        gatepost
    }

    /// Starts a process that must refuse to start: waits for its end, and returns its status and output.
    pub(crate) async fn start_refused(self) -> (ExitStatus, String) {
        let mut gatepost = self.prepare();
        gatepost.spawn();
        (gatepost.exited().await, gatepost.written())
    }

    fn prepare(self) -> Gatepost {
        Gatepost { setup: self, folder: TempDir::new().expect("a temporary folder"), child: None }
    }
}

/// A running process of the real binary. A failed test prints its log.
pub(crate) struct Gatepost {
    setup: Setup,
    folder: TempDir,
    child: Option<Child>,
}

impl Gatepost {
    /// Starts the process (again), with the same settings on the same port, and waits until it is ready.
    pub(crate) async fn start_again(&mut self) {
        self.spawn();
        self.ready().await;
    }

    async fn ready(&mut self) {
        until("/readyz answers 200", async || {
            let status = self.exit_status();
            assert!(status.is_none(), "the process ended with {status:?} instead of becoming ready");
            readiness(self.address()).await == Some(200)
        })
        .await;
    }

    fn spawn(&mut self) {
        self.spawn_with(self.output("stderr.log").into());
    }

    fn output(&self, name: &str) -> File {
        File::options().create(true).append(true).open(self.folder.path().join(name)).expect("creates a log")
    }

    fn spawn_with(&mut self, stderr: Stdio) {
        let mut command = Command::new(self.setup.binary);
        command.args(&self.setup.arguments).env_clear().env("LISTEN", self.address().to_string());
        // Tests send thousands of calls, and wrong credentials, from one address within seconds.
        command.env("USER_RATE_LIMIT", "off").env("CREDENTIAL_FAILURE_LIMIT", "off");
        // Many instances run on this machine at the same time.
        command.env("METRICS_LISTEN", "");
        command.envs(self.setup.settings.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(self.output("stdout.log")).stderr(stderr);
        self.child = Some(command.spawn().expect("the binary starts"));
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.setup.address
    }

    pub(crate) fn provider(&self) -> &IdentityProvider {
        &self.setup.provider
    }

    /// The working directory of the process.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// A user with an ID token of the test's provider.
    pub(crate) fn user(&self, subject: &str) -> User {
        User::new(self.address(), self.provider().token(subject))
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open(self.address()).await.expect("the server accepts connections")
    }

    /// Sends one request over a new connection.
    pub(crate) async fn send(&self, request: &Request) -> Response {
        self.connect().await.exchange(request).await.expect("an answer")
    }

    /// Calls `/api/whoami` with a key.
    pub(crate) async fn whoami(&self, full_key: &str) -> Response {
        self.send(&Request::new("GET", "/api/whoami").header("x-api-key", full_key)).await
    }

    /// The output of the process so far: standard output, then standard error.
    pub(crate) fn written(&self) -> String {
        let read = |name: &str| fs::read(self.folder.path().join(name)).unwrap_or_default();
        String::from_utf8_lossy(&[read("stdout.log"), read("stderr.log")].concat()).into_owned()
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.as_ref().expect("the process runs").id()
    }

    /// Sends a signal; `name` is without SIG.
    pub(crate) fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.process_id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success(), "{kill}");
    }

    pub(crate) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.child.as_mut().expect("was started").try_wait().expect("a child of this process")
    }

    pub(crate) async fn exited(&mut self) -> ExitStatus {
        eventually("the process ends", async || self.exit_status()).await
    }

    pub(crate) async fn kill(&mut self) {
        self.signal("KILL");
        self.exited().await;
    }

    /// Kills the process, and starts it again.
    pub(crate) async fn restart(&mut self) {
        self.kill().await;
        self.start_again().await;
    }

    /// Ends the process with SIGTERM. Its exit code must be 0.
    pub(crate) async fn stop(&mut self) {
        self.signal("TERM");
        assert_eq!(self.exited().await.code(), Some(0));
    }

    #[track_caller]
    pub(crate) fn assert_healthy(&mut self) {
        assert!(self.exit_status().is_none(), "the process ended");
        assert!(!self.written().contains("panicked"), "the process panicked");
    }
}

impl Drop for Gatepost {
    #[expect(clippy::print_stderr, reason = "the test runner shows the log beside the failure")]
    fn drop(&mut self) {
        if let Some(child) = self.child.as_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            let written = self.written();
            let mut tail: Vec<&str> = written.lines().rev().filter(|line| !line.contains("/readyz")).take(60).collect();
            tail.reverse();
            let tail = tail.join("\n");
            eprintln!("── the last lines of gatepost at {} ──\n{tail}\n──", self.address());
        }
    }
}

/// The status of `/readyz`, if there is an answer.
pub(crate) async fn readiness(address: SocketAddr) -> Option<u16> {
    let mut connection = Connection::open(address).await.ok()?;
    Some(connection.exchange(&Request::new("GET", "/readyz")).await.ok()?.status)
}

/// An address for this test alone, also when a killed process starts again.
pub(crate) fn free_address() -> SocketAddr {
    ([127, 0, 0, 1], throwaway_postgres::free_port().expect("a free port")).into()
}
