//! Every example that `--help` shows works when it is pasted.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::Shell;
use crate::harness::{
    Browser, ENCRYPTION_KEY, Gatepost, Setup, eventually, free_address, gatepost_binary, run_gatepost,
};
use crate::webhooks::receiver::{Behaviour, Receiver};

/// The id in examples. A test replaces it by one that exists.
const SAMPLE: &str = "01h455vb4pex5vsknk084sn02q";
/// The least width of `--help`. clap breaks longer lines, and a broken command cannot be pasted.
const COLUMNS: usize = 80;
/// Commands that run until they are stopped, and their line when they are ready.
const KEEPS_RUNNING: [(&str, &str); 4] = [
    ("gatepost dev", "gatepost listen"),
    ("serve", "gatepost is serving"),
    ("gatepost listen", "Ctrl-C"),
    ("gatepost pull sub_01h455vb4pex5vsknk084sn02q --forward-to", "Ctrl-C"),
];
/// The headers and the authentication of a subscription, of the kind with the most members.
const REQUEST: &str = r#"{"headers":{"x-tenant":"42"},"auth":{"type":"oauth2","tokenUrl":"https://id.example.com/token",
    "clientId":"gatepost","clientSecret":"0f1e2d3c","scope":"hooks:write"}}"#;
/// Examples that need something that tests do not have.
const NOT_RUN: [(&str, &str); 2] = [
    ("postgres://gatepost@db/gatepost", "a database server with the name db"),
    ("gatepost login https://keys.example.com", "a person with a browser"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_example_of_every_command_runs() {
    let reader = Reader::new().await;
    let examples = examples();
    assert!(examples.len() > 80, "{}", examples.len());
    let mut unused: Vec<&str> = NOT_RUN.iter().map(|(part, _)| *part).collect();
    for (command, example) in examples {
        if let Some((part, _)) = NOT_RUN.iter().find(|(part, _)| example.contains(part)) {
            unused.retain(|other| other != part);
            continue;
        }
        reader.pastes(&command, &example).await;
    }
    assert_eq!(unused, Vec::<&str>::new(), "an exception that is not needed");
}

/// Each example, with the command of its help.
fn examples() -> Vec<(String, String)> {
    let (mut commands, mut examples) = (VecDeque::from([String::new()]), Vec::new());
    while let Some(command) = commands.pop_front() {
        let help = help(&command);
        assert!(help.starts_with("Examples:\n"), "gatepost {command} --help begins with {help}");
        let found = section(&help, "Examples:").replace("\\\n", "");
        assert!(!found.is_empty(), "gatepost {command} --help has no examples");
        examples.extend(found.lines().map(|line| (command.clone(), line.trim().to_owned())));
        let children = section(&help, "Commands:");
        // The names are in the first column; the other columns are indented further.
        let names = children.lines().filter(|line| !line.starts_with("   ")).filter_map(|line| line.split(' ').nth(2));
        let names = names.filter(|name| *name != "help");
        commands.extend(names.map(|name| format!("{command} {name}").trim().to_owned()));
    }
    examples
}

fn help(command: &str) -> String {
    let words = command.split(' ').filter(|word| !word.is_empty());
    let output = Command::new(gatepost_binary()).args(words).arg("--help").env_clear().output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    let help = String::from_utf8(output.stdout).unwrap();
    let wide = section(&help, "Examples:").lines().find(|line| line.chars().count() > COLUMNS).map(str::to_owned);
    assert_eq!(wide, None, "{command}: an example is wider than {COLUMNS} columns");
    help
}

/// The lines below a title, up to an empty line.
fn section(help: &str, title: &str) -> String {
    let lines = help.lines().skip_while(|line| *line != title).skip(1);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A person who reads the help in the folder of a running `gatepost dev`, with the files that the examples name.
struct Reader {
    gatepost: Gatepost,
    shell: Shell,
    receiver: Receiver,
}

impl Reader {
    async fn new() -> Self {
        let setup = Setup::dev().await.with("API_KEYS_MAX_ACTIVE", "1000").with("WEBHOOK_MAX_SUBSCRIPTIONS", "1000");
        let gatepost = setup.start().await;
        let shell = Shell::in_the_folder_of(&gatepost);
        let receiver = Receiver::start(Behaviour::ok()).await;
        let reader = Self { gatepost, shell, receiver };
        for folder in ["bin", "etc", "completions", "backups"] {
            fs::create_dir(reader.path(folder)).unwrap();
        }
        std::os::unix::fs::symlink(gatepost_binary(), reader.path("bin/gatepost")).unwrap();
        let old = [("DATABASE_URL", "sqlite://old.db")];
        assert!(run_gatepost(&reader.path(""), &["migrate"], &old).status.success());
        let operator = fs::read_to_string(reader.path("gatepost-data/operator.token")).unwrap();
        for (file, text) in [
            ("operator", operator.as_str()),
            ("invoice.json", "{}"),
            ("answer.json", r#"{"invoice":{}}"#),
            ("keys.txt", "svc_live_none\n"),
            ("catalogue.json", r#"{"eventTypes":[{"name":"invoice.paid"}]}"#),
            ("catalogue.yaml", "eventTypes:\n  - name: invoice.paid\n"),
            ("filter.json", r#"{"path":"/data/amount","op":"gte","value":100}"#),
            ("event.json", r#"{"type":"a.b","timestamp":"2026-11-21T20:00:00Z","data":{"amount":250}}"#),
            ("request.json", REQUEST),
            ("events.jsonl", r#"{"userId":"alice","type":"a.b","data":{}}"#),
        ] {
            fs::write(reader.path(file), text).unwrap();
        }
        for file in ["staging.toml", "etc/gatepost.toml"] {
            let listen = format!("listen = '{}'\n", reader.gatepost.address());
            fs::write(reader.path(file), format!("{listen}database_url = 'sqlite://gatepost-data/gatepost.db'\n"))
                .unwrap();
        }
        reader.shell.succeeds("event-types apply -f catalogue.json");
        reader
    }

    fn path(&self, name: &str) -> PathBuf {
        self.shell.folder.join(name)
    }

    async fn pastes(&self, command: &str, example: &str) {
        // Examples overwrite them, and revoke every key of alice.
        if ["< key", "_FILE=key"].iter().any(|part| example.contains(part)) {
            let created = self.shell.json("keys create file --user alice");
            fs::write(self.path("key"), created["key"].as_str().unwrap()).unwrap();
        }
        if example.contains("_FILE=token") {
            fs::write(self.path("token"), self.shell.succeeds("token --user alice")).unwrap();
        }
        let line = self.with_real_names(example).await;
        let running = KEEPS_RUNNING.iter().find(|(start, _)| example.contains(start));
        if let Some((_, ready)) = running {
            return self.starts(&line, ready).await;
        }
        let Output { status, stdout, stderr } = self.bash(&line).output().unwrap();
        let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "gatepost {command} --help shows:\n{example}\nrun as:\n{line}\n{stdout}{stderr}");
    }

    fn bash(&self, line: &str) -> Command {
        let mut bash = Command::new("bash");
        bash.args(["-eo", "pipefail", "-c", line]).current_dir(&self.shell.folder).env_clear();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        bash.envs(self.shell.environment.iter().cloned()).env("PATH", path).env("HOME", self.path(""));
        // The running instance uses its database alone.
        for alone in ["migrate", "restore"].into_iter().filter(|alone| line.starts_with(&format!("gatepost {alone}"))) {
            bash.env("DATABASE_URL", format!("sqlite://{alone}.db"));
        }
        if line.contains(" doctor") {
            bash.envs(self.of_serve());
            bash.env("WEBHOOK_ALLOW_HTTP", "true").env("WEBHOOK_ALLOWED_NETWORKS", "127.0.0.0/8");
        }
        bash.stdin(Stdio::null());
        bash
    }

    /// The settings of `gatepost serve` beyond those of `gatepost dev`.
    fn of_serve(&self) -> [(&'static str, String); 4] {
        let issuer = format!("http://{}/dev/oidc", self.gatepost.address());
        let key = ENCRYPTION_KEY.to_owned();
        [
            ("OIDC_ISSUER", issuer),
            ("OIDC_AUDIENCE", "a".to_owned()),
            ("ENCRYPTION_KEY", key),
            ("METRICS_LISTEN", String::new()),
        ]
    }

    /// Runs the example in an empty folder until it is ready.
    async fn starts(&self, line: &str, ready: &str) {
        let folder = tempfile::TempDir::new().unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let mut bash = self.bash(&format!("exec env {line}"));
        if !["gatepost listen", "gatepost pull"].iter().any(|client| line.contains(client)) {
            bash.envs(self.of_serve().into_iter().filter(|(name, _)| !line.contains(name)));
            bash.env("LISTEN", free_address().to_string()).current_dir(folder.path());
        }
        let mut child = bash.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
        let written = || fs::read_to_string(folder.path().join("log")).unwrap();
        let outcome = eventually(line, async || {
            let ended = child.try_wait().unwrap().is_some();
            (ended || written().contains(ready)).then(|| written().contains(ready))
        });
        let is_ready = outcome.await;
        let _ = child.kill();
        let _ = child.wait();
        assert!(is_ready, "{line}: {}", written());
    }

    /// The example with the addresses, folders and ids of this reader.
    async fn with_real_names(&self, example: &str) -> String {
        let folder = |name: &str| self.path(name).display().to_string();
        let mut line = example
            .replace("127.0.0.1:8080", &self.gatepost.address().to_string())
            .replace("http://127.0.0.1:9000/", &self.receiver.url().replace("/hook", "/"))
            .replace("--web web", concat!("--web ", env!("CARGO_MANIFEST_DIR"), "/../web"))
            .replace(
                "LISTEN=127.0.0.1:9000 gatepost health",
                &format!("LISTEN={} gatepost health", self.gatepost.address()),
            )
            .replace("/etc/bash_completion.d", &folder("completions"))
            .replace("~/.config/fish/completions", &folder("completions"))
            .replace("/etc/", &format!("{}/", folder("etc")))
            .replace("/run/secrets/key", &folder("gatepost-data/encryption.key"))
            .replace("/var/backups", &folder("backups"));
        for kind in ["key", "sub", "dlv", "ses"] {
            let sample = format!("{kind}_{SAMPLE}");
            if line.contains(&sample) {
                let kind = if line.contains("gatepost pull") { "pull" } else { kind };
                line = line.replace(&sample, &self.made(kind).await);
            }
        }
        line
    }

    /// The id of a new key, subscription, delivery or session of alice.
    async fn made(&self, kind: &str) -> String {
        let text = |value: &serde_json::Value| value.as_str().expect("a string").to_owned();
        match kind {
            "key" => text(&self.shell.json("keys create made --user alice")["keyId"]),
            "ses" => self.signed_in().await,
            "pull" => self.shell.succeeds("webhooks create --pull --event * --user alice"),
            _ => {
                let create = format!("webhooks create {} --event * --user alice", self.receiver.url());
                let id = text(&self.shell.json(&create)["subscription"]["id"]);
                let sent = self.shell.json(&format!("webhooks test {id} --user alice"));
                if kind == "sub" { id } else { text(&sent["delivery"]["id"]) }
            }
        }
    }

    async fn signed_in(&self) -> String {
        let operator = fs::read_to_string(self.path("operator")).unwrap();
        Browser::by_link(self.gatepost.address(), operator.trim(), "alice").await;
        self.shell.json("sessions list --user alice")["sessions"][0]["id"].as_str().unwrap().to_owned()
    }
}
