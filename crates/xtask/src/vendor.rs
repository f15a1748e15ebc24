//! Makes `web/vendor/preact.js`, the only vendored file of the console. See decision 70.

use anyhow::Context;

use crate::program::{root, run, say, script};

/// Runs in `tests/browser`. Its lock file has the versions and checksums of the packages.
const SCRIPT: &str = r#"
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

/// Bundles the packages again, after a change of `tests/browser/package.json` or `preact.entry.mjs`.
///
/// # Errors
///
/// When npm is missing, or cannot reach its registry.
pub(crate) fn run_npm() -> anyhow::Result<()> {
    run(script(&root().join("tests/browser"), SCRIPT)).context("this needs node and npm")?;
    say("wrote web/vendor");
    Ok(())
}
