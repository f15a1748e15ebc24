//! The console in a real browser, and the types of its source. The journeys are in `tests/browser`.
//!
//! `cargo xtask test` gets Node's packages and Chromium where it can, and skips these tests by name elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::program::find;
use crate::harness::{Gatepost, Setup, free_address};
use crate::portal::portal_setup;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_reach_what_they_came_for() {
    let gatepost = Setup::dev().await.start().await;
    run_in_browser(&gatepost, "journeys.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_screen_is_accessible() {
    let gatepost = Setup::dev().await.start().await;
    run_in_browser(&gatepost, "accessibility.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_find_and_cure_what_fails() {
    let gatepost = Setup::dev().await.start().await;
    run_in_browser(&gatepost, "operator.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_portal_wears_the_brand_of_the_host_application() {
    let port = free_address().port().to_string();
    let setup = portal_setup(Setup::dev().await).with("PORTAL_FRAME_ANCESTORS", &format!("http://localhost:{port}"));
    let gatepost = setup.start().await;
    run_in_browser_with(&gatepost, "portal.test.mjs", &[("HOST_PORT", port)]).await;
}

/// Takes the pictures of the documentation if `PICTURES` is set; otherwise they stay as they are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "a switch of the test; not a setting of Gatepost")]
async fn pictures_show_the_screens() {
    if std::env::var_os("PICTURES").is_some() {
        let gatepost = Setup::dev().await.start().await;
        run_in_browser(&gatepost, "pictures.test.mjs").await;
    }
}

/// A field that is renamed in Rust, and in the description of the API, breaks this test and not the browser.
#[test]
fn the_source_fits_the_description_of_the_api() {
    let folder = tempfile::tempdir().unwrap();
    let types = folder.path().join("api.d.ts");
    let document = folder_of_tests().join("../../docs/openapi.json");
    succeeds(&node("openapi-typescript/bin/cli.js").arg(document).arg("-o").arg(&types).output().unwrap());
    // Beside the tests, so that the compiler finds the packages.
    fs::copy(types, folder_of_tests().join("api.d.ts")).unwrap();
    succeeds(&node("typescript/bin/tsc").arg("--project").arg(folder_of_tests()).output().unwrap());
}

async fn run_in_browser(gatepost: &Gatepost, file: &'static str) {
    run_in_browser_with(gatepost, file, &[]).await;
}

async fn run_in_browser_with(gatepost: &Gatepost, file: &'static str, variables: &[(&str, String)]) {
    let token = fs::read_to_string(gatepost.folder().join("gatepost-data/operator.token")).unwrap();
    let mut command = Command::new(find("node"));
    command.args(["--test", file]).current_dir(folder_of_tests());
    command.env("GATEPOST_URL", format!("http://{}", gatepost.address()));
    command.env("OPERATOR_TOKEN", token.trim()).env("CHROMIUM", find("chromium"));
    command.envs(variables.iter().map(|(name, value)| (*name, value)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    succeeds(&output);
}

/// Node with a program of a package.
fn node(program: &str) -> Command {
    let program = folder_of_tests().join("node_modules").join(program);
    assert!(program.is_file(), "{} is missing: `cargo xtask test` runs npm ci where it can", program.display());
    let mut command = Command::new(find("node"));
    command.arg(program);
    command
}

#[track_caller]
fn succeeds(output: &Output) {
    let (text, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{complaint}");
}

fn folder_of_tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser")
}
