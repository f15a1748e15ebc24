use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::harness::{Connection, Request, Response, eventually, free_address, program, repository};

/// The configuration around that of the page: one process, without rights, with all files in its working directory.
const NGINX: &str = "daemon off;
master_process off;
pid nginx.pid;
error_log stderr info;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include site.conf;
}
";
const CADDY: &str = "{
	admin off
	auto_https off
}
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Nginx,
    Caddy,
    Envoy,
}

impl Kind {
    /// Its name, and the language of its configuration.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Nginx => ("nginx", "nginx"),
            Self::Caddy => ("caddy", "caddyfile"),
            Self::Envoy => ("envoy", "yaml"),
        }
    }

    /// The configuration on the gateway's page, with the addresses of the test instead of those of the page.
    fn configuration(self, public: SocketAddr, gatepost: SocketAddr, api: SocketAddr) -> String {
        let (name, language) = self.names();
        let replacements = match self {
            Self::Nginx => [
                ("listen 80;", format!("listen {public};")),
                ("server 127.0.0.1:8080;", format!("server {gatepost};")),
                ("server 127.0.0.1:3000;", format!("server {api};")),
            ],
            Self::Caddy => [
                ("http://api.example.com {", format!("http://:{} {{", public.port())),
                ("forward_auth 127.0.0.1:8080 {", format!("forward_auth {gatepost} {{")),
                ("reverse_proxy 127.0.0.1:3000 {", format!("reverse_proxy {api} {{")),
            ],
            Self::Envoy => [
                ("address: 0.0.0.0, port_value: 80 ", format!("address: 127.0.0.1, port_value: {} ", public.port())),
                ("port_value: 8080 ", format!("port_value: {} ", gatepost.port())),
                ("port_value: 3000 ", format!("port_value: {} ", api.port())),
            ],
        };
        replacements.into_iter().fold(fence(name, language), |text, (page, ours)| {
            assert!(text.contains(page), "the page of {name} does not have {page:?}");
            text.replace(page, &ours)
        })
    }

    /// Writes the configuration into the folder, and returns the command that starts the gateway with it.
    fn prepare(self, folder: &Path, configuration: &str) -> Command {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).expect("writes a configuration");
            path
        };
        let program = program::find(self.names().0);
        let mut command = match self {
            Self::Nginx => program::without_rights(&program, folder),
            Self::Caddy | Self::Envoy => Command::new(program),
        };
        command.current_dir(folder).env("HOME", folder);
        match self {
            Self::Nginx => {
                write("site.conf", configuration);
                command.args(["-e", "stderr", "-p"]).arg(folder).arg("-c").arg(write("nginx.conf", NGINX));
            }
            Self::Caddy => {
                let path = write("Caddyfile", &format!("{CADDY}{configuration}"));
                command.args(["run", "--adapter", "caddyfile", "--config"]).arg(path);
            }
            Self::Envoy => {
                let path = write("envoy.yaml", configuration);
                command.args(["--disable-hot-restart", "--concurrency", "1", "-c"]).arg(path);
            }
        }
        command
    }
}

/// A running gateway. A failed test prints its log.
pub(super) struct Gateway {
    address: SocketAddr,
    process: Child,
    folder: TempDir,
}

impl Gateway {
    /// Starts the gateway with the configuration of its page, before this API, with this Gatepost.
    pub(super) async fn start(kind: Kind, gatepost: SocketAddr, api: SocketAddr) -> Self {
        let (folder, address) = (TempDir::new().expect("a temporary folder"), free_address());
        let mut command = kind.prepare(folder.path(), &kind.configuration(address, gatepost, api));
        let log = || File::options().create(true).append(true).open(folder.path().join("log")).expect("creates a log");
        command.stdin(Stdio::null()).stdout(log()).stderr(log());
        let process = command.spawn().expect("the gateway starts");
        let mut gateway = Self { address, process, folder };
        eventually("the gateway listens", async || {
            let status = gateway.process.try_wait().expect("a child of this process");
            assert!(status.is_none(), "the gateway ended with {status:?}");
            Connection::open(address).await.ok()
        })
        .await;
        gateway
    }

    pub(super) async fn connect(&self) -> Connection {
        Connection::open(self.address).await.expect("the gateway accepts connections")
    }

    /// Sends one request over a new connection.
    pub(super) async fn send(&self, request: &Request) -> Response {
        self.connect().await.exchange(request).await.expect("an answer")
    }
}

impl Drop for Gateway {
    #[expect(clippy::print_stderr, reason = "the test runner shows the log beside the failure")]
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            let log = fs::read(self.folder.path().join("log")).unwrap_or_default();
            eprintln!("── the gateway's log ──\n{}──", String::from_utf8_lossy(&log));
        }
    }
}

/// The one block of this language on the page.
fn fence(page: &str, language: &str) -> String {
    let text = fs::read_to_string(repository().join(format!("docs/gateways/{page}.md"))).expect("the page is there");
    let mut blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix(language));
    let block = blocks.next().expect("the page has a configuration").to_owned();
    assert!(blocks.next().is_none(), "the page has one configuration");
    block
}

/// The port 30000 begins like the API's port on the page.
#[test]
fn any_port_of_gatepost_can_stand_in_a_configuration() {
    let [public, gatepost, api] = [20_001, 30_000, 40_003].map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
    for kind in [Kind::Nginx, Kind::Caddy, Kind::Envoy] {
        let configuration = kind.configuration(public, gatepost, api);
        for port in [20_001, 30_000, 40_003] {
            let is_there =
                configuration.split(|other: char| !other.is_ascii_digit()).any(|part| part == port.to_string());
            assert!(is_there, "{kind:?}, {port}: {configuration}");
        }
    }
}
