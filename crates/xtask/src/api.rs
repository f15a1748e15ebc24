//! Sends requests that are generated from the OpenAPI document to the binary. See `tests/api`.
//!
//! Clients are generated from that document, so valid requests must be accepted, invalid ones refused, and answers must
//! match it. Rules that a schema cannot state are in `tests/api/hooks.py`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail, ensure};

use crate::program::{build_binary, output, program, root, run, say, succeeds};

/// The generator, from `PyPI`. Pinned, so that a test does not change overnight.
const GENERATOR: &str = "schemathesis==4.32.5";
/// The folder of the virtual environment, below the root.
const FOLDER: &str = "target/api";
/// The time between two looks at the start of the service, and how many looks there are: a minute.
const PAUSE: Duration = Duration::from_millis(100);
const START_LOOKS: u32 = 600;
/// The same requests each time. Another number makes others: `cargo xtask test api --seed 2`.
const SEED: &str = "1";
/// Random requests for each operation, beyond the ones that try each part of the document.
const EXAMPLES_MAX: &str = "20";
/// The service without limits that would refuse so fast a client.
const SETTINGS: [(&str, &str); 7] = [
    ("LISTEN", "127.0.0.1:0"),
    ("METRICS_LISTEN", ""),
    ("USER_RATE_LIMIT", "off"),
    ("MANUAL_SEND_LIMIT", "off"),
    ("CREDENTIAL_FAILURE_LIMIT", "off"),
    ("API_KEYS_MAX_ACTIVE", "10000"),
    ("WEBHOOK_MAX_SUBSCRIPTIONS", "10000"),
];

/// Runs the generator with these further arguments, and skips it where it cannot be installed.
///
/// # Errors
///
/// When the document and the service differ, or the service does not start.
pub(crate) fn run_generator(arguments: &[&str]) -> anyhow::Result<()> {
    let Some(generator) = find_or_get() else {
        say(&format!("SKIPPED the requests of the OpenAPI document: {GENERATOR} cannot be installed here"));
        return Ok(());
    };
    let service = Service::start(&build_binary()?)?;
    let mut command = program(generator, ["--config-file", "schemathesis.toml", "run"]);
    command
        .args(["../../docs/openapi.json", "--phases", "examples,coverage,fuzzing", "--continue-on-failure"])
        .args(["--seed", SEED, "--max-examples", EXAMPLES_MAX, "--warnings", "off", "--url", &service.url])
        .args(arguments)
        .env("HYPOTHESIS_STORAGE_DIRECTORY", root().join(FOLDER).join("hypothesis"))
        .current_dir(root().join("tests/api"));
    for (name, value) in &service.credentials {
        command.env(name, value);
    }
    run(command)
}

/// The program of the generator; `None` if it cannot be installed.
fn find_or_get() -> Option<PathBuf> {
    let folder = root().join(FOLDER);
    let (python, generator) = (folder.join("bin/python"), folder.join("bin/st"));
    let is_there = || succeeds(program(&python, ["-c", &installed(GENERATOR)]));
    let get = || {
        say(&format!("installing {GENERATOR}"));
        succeeds(program("python3", ["-m", "venv", &folder.to_string_lossy()]))
            && succeeds(program(&python, ["-m", "pip", "install", "--quiet", GENERATOR]))
    };
    (is_there() || (get() && is_there())).then_some(generator)
}

/// Python that fails unless this version of a package is installed.
fn installed(pinned: &str) -> String {
    let (package, version) = pinned.split_once("==").unwrap_or((pinned, ""));
    format!("import importlib.metadata as m; assert m.version('{package}') == '{version}'")
}

/// A running `gatepost dev` with its own folder.
struct Service {
    process: Child,
    folder: PathBuf,
    url: String,
    credentials: Vec<(&'static str, String)>,
}

impl Service {
    fn start(binary: &Path) -> anyhow::Result<Self> {
        let folder = root().join(FOLDER).join("run");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).context("cannot create the folder of the service")?;
        let opened = |name: &str| File::create(folder.join(name)).context("cannot create a file of the service");
        let mut dev = Command::new(binary);
        dev.args(["dev", "--json"]).current_dir(&folder).envs(SETTINGS);
        dev.stdin(Stdio::null()).stdout(opened("welcome.json")?).stderr(opened("log")?);
        let process = dev.spawn().context("cannot start the service")?;
        let mut service = Self { process, folder, url: String::new(), credentials: Vec::new() };
        let welcome = service.welcome()?;
        let base = member(&welcome, "docsUrl").and_then(|url| url.strip_suffix("/docs").map(str::to_owned));
        service.url = base.context("the service does not say its URL")?;
        let operator_token = member(&welcome, "operatorToken").context("the service has no operator token")?;
        let own = |arguments: &[&str]| {
            let mut command = Command::new(binary);
            command.args(arguments).current_dir(&service.folder).env("GATEPOST_URL", &service.url);
            output(command).and_then(|bytes| Ok(String::from_utf8(bytes)?.trim().to_owned()))
        };
        let (id_token, api_key) =
            (own(&["token", "--user", "tester"])?, own(&["keys", "create", "k", "--user", "tester"])?);
        service.credentials = vec![("OPERATOR_TOKEN", operator_token), ("ID_TOKEN", id_token), ("API_KEY", api_key)];
        Ok(service)
    }

    /// The line that the service prints when it answers.
    fn welcome(&mut self) -> anyhow::Result<String> {
        let log = |folder: &Path| fs::read_to_string(folder.join("log")).unwrap_or_default();
        for _ in 0..START_LOOKS {
            let line = fs::read_to_string(self.folder.join("welcome.json")).context("cannot read the welcome")?;
            if line.ends_with('\n') {
                return Ok(line);
            }
            let ended = self.process.try_wait().context("cannot wait for the service")?.is_some();
            ensure!(!ended, "the service ended: {}", log(&self.folder));
            thread::sleep(PAUSE);
        }
        bail!("the service does not start: {}", log(&self.folder))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A string in a flat JSON object without escapes.
fn member(json: &str, name: &str) -> Option<String> {
    let after = json.split_once(&format!("\"{name}\":\""))?.1;
    after.split_once('"').map(|(value, _)| value.to_owned())
}
