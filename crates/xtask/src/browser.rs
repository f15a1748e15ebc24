//! The browser and the packages of Node for the tests of the console, the checks of its source, and its vendored file.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::program::{Skip, output, program, root, run, say, script, succeeds};

/// The browser without windows, which starts in a third of the time, and the whole browser. Debian's packages have these
/// names, and so have the programs. The tests take the first one that runs.
const BROWSERS: [&str; 2] = ["chromium-headless-shell", "chromium"];
/// Installs exactly the packages of the lock file. No package downloads a browser.
const INSTALL_PACKAGES: &str = "npm ci --silent --no-audit --no-fund --ignore-scripts";
/// npm writes its copy of the lock file last.
const PACKAGES_ARE_THERE: &str = "node --version && test node_modules/.package-lock.json -nt package-lock.json";
/// The files of the formatter, without the vendored ones.
const SOURCE: [&str; 3] = ["web/**/*.{js,css,html}", "tests/browser/**/*.mjs", "!web/vendor"];

/// Runs in `tests/browser`. Its lock file has the versions and checksums of the packages.
const VENDOR: &str = r#"
set -eu
npm ci --silent --no-audit --no-fund --ignore-scripts
version() { node -p "require('./node_modules/$1/package.json').version"; }
vendor=../../web/vendor
for package in preact htm; do cp "node_modules/$package/LICENSE" "$vendor/$package.LICENSE.txt"; done
node_modules/.bin/esbuild preact.entry.mjs --bundle --minify --format=esm --legal-comments=none --log-level=warning \
  --banner:js="// preact $(version preact) (MIT), htm $(version htm) (Apache-2.0): see preact.LICENSE.txt and htm.LICENSE.txt" \
  --outfile="$vendor/preact.js"
cd "$vendor"
sha256sum preact.js preact.LICENSE.txt htm.LICENSE.txt > SHA256SUMS
"#;

/// Finds the browser and the packages, or installs them. Returns the path of the browser, and the tests of the missing ones.
pub(crate) fn find_or_get() -> (Option<PathBuf>, Vec<Skip>) {
    let skip =
        |tests: &str, what: &str| Skip { tests: tests.to_owned(), reason: format!("{what} cannot be installed here") };
    let (journeys, types) = ("browser::", "console::the_source");
    if !has_packages() {
        return (None, [journeys, types].map(|tests| skip(tests, "Node, or its packages,")).into());
    }
    let found = BROWSERS.into_iter().find_map(|browser| path_of(browser).or_else(|| path_of_new(browser)));
    let skips = if found.is_none() { vec![skip(journeys, "Chromium")] } else { Vec::new() };
    (found, skips)
}

/// The path of this browser, if it runs.
fn path_of(browser: &str) -> Option<PathBuf> {
    const RUN: &str = r#""$1" --version >/dev/null 2>&1 && command -v "$1""#;
    let path = output(program("sh", ["-c", RUN, "sh", browser])).ok()?;
    Some(String::from_utf8(path).ok()?.trim_end().into())
}

/// Installs this browser, if this machine can.
fn path_of_new(browser: &str) -> Option<PathBuf> {
    let install = format!("apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y {browser}");
    let can_install = Path::new("/usr/bin/apt-get").exists();
    (can_install && get(browser, &install)).then(|| path_of(browser)).flatten()
}

/// Checks the format of the console and of its tests, and looks for mistakes in them.
pub(crate) fn lint() -> anyhow::Result<()> {
    say("── web");
    if !has_packages() {
        say("SKIPPED: Node, or its packages, cannot be installed here");
        return Ok(());
    }
    let package = |name: &str| format!("tests/browser/node_modules/{name}");
    let (prettier, eslint) = (package("prettier/bin/prettier.cjs"), package("eslint/bin/eslint.js"));
    run(program("node", [&prettier, "--check", "--log-level=warn"].into_iter().chain(SOURCE)))?;
    run(program("node", [&eslint, "--config", "tests/browser/eslint.config.mjs", "web", "tests/browser"]))
}

/// Bundles `web/vendor/preact.js`, the only vendored file of the console, after a change of `tests/browser/package.json` or
/// `preact.entry.mjs`. See decision 70.
///
/// # Errors
///
/// When npm is missing, or cannot reach its registry.
pub(crate) fn vendor() -> anyhow::Result<()> {
    run(script(&root().join("tests/browser"), VENDOR)).context("this needs node and npm")?;
    say("wrote web/vendor");
    Ok(())
}

fn has_packages() -> bool {
    in_folder(PACKAGES_ARE_THERE) || get("the packages of the browser tests", INSTALL_PACKAGES)
}

fn get(what: &str, text: &str) -> bool {
    say(&format!("getting {what}"));
    in_folder(text)
}

fn in_folder(text: &str) -> bool {
    succeeds(script(&root().join("tests/browser"), text))
}
