//! The libraries with which `docs/webhooks/receivers.md` verifies webhooks, for the tests that run that page.

use std::path::PathBuf;

use anyhow::Context;

use crate::program::{Skip, root, say, script, succeeds};

/// A language, a command that succeeds if its library is installed, and a shell script that installs it.
const LANGUAGES: [(&str, &str, &str); 2] = [
    (
        "javascript",
        "test -d node_modules/standardwebhooks && node --version",
        "npm install --silent --no-save standardwebhooks@1",
    ),
    (
        "python",
        "python/bin/python -c 'import standardwebhooks'",
        "python3 -m venv python && python/bin/pip install --quiet 'standardwebhooks>=1,<2'",
    ),
];

/// The folder with the libraries, and the tests of missing libraries.
pub(crate) fn find_or_get() -> anyhow::Result<(PathBuf, Vec<Skip>)> {
    let folder = root().join("target/receivers");
    std::fs::create_dir_all(&folder).context("cannot create target/receivers")?;
    let runs = |text: &str| succeeds(script(&folder, text));
    let mut skips = Vec::new();
    for (language, is_there, install) in LANGUAGES {
        if runs(is_there) {
            continue;
        }
        say(&format!("installing the {language} library for the tests of docs/webhooks/receivers.md"));
        if !(runs(install) && runs(is_there)) {
            let tests = format!("receivers_page::the_{language}");
            skips
                .push(Skip { tests, reason: format!("the reference library for {language} cannot be installed here") });
        }
    }
    Ok((folder, skips))
}
