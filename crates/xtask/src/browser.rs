//! The browser and the packages of Node with which the tests open the console.

use std::path::Path;

use crate::program::{Skip, program, root, say, succeeds};

/// Debian's packages of the browser have this name, and so has the program.
const BROWSER: &str = "chromium";
/// Installs exactly what the lock file names. Nothing downloads a browser.
const INSTALL_PACKAGES: &str = "npm ci --silent --no-audit --no-fund --ignore-scripts";
/// npm writes its copy of the lock file last.
const PACKAGES_ARE_THERE: &str = "node --version && test node_modules/.package-lock.json -nt package-lock.json";

/// Finds the browser and the packages, or installs them, and returns the tests of what is missing.
pub(crate) fn find_or_get() -> Vec<Skip> {
    let skip =
        |tests: &str, what: &str| Skip { tests: tests.to_owned(), reason: format!("{what} cannot be installed here") };
    let (journeys, types) = ("browser::", "console::the_source_fits");
    if !(in_folder(PACKAGES_ARE_THERE) || get("the packages of the browser tests", INSTALL_PACKAGES)) {
        return [journeys, types].map(|tests| skip(tests, "Node, or its packages,")).into();
    }
    let install = format!("apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y {BROWSER}");
    let runs = || succeeds(program(BROWSER, ["--version"]));
    let can_install = Path::new("/usr/bin/apt-get").exists();
    if runs() || (can_install && get(BROWSER, &install) && runs()) {
        return Vec::new();
    }
    vec![skip(journeys, BROWSER)]
}

fn get(what: &str, script: &str) -> bool {
    say(&format!("getting {what}"));
    in_folder(script)
}

fn in_folder(script: &str) -> bool {
    let mut shell = program("sh", ["-c", script]);
    shell.current_dir(root().join("tests/browser"));
    succeeds(shell)
}
