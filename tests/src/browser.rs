//! The console in a real browser. The journeys are in `tests/browser`.
//!
//! `cargo xtask test` gets Node's packages and Chromium where it can, and skips these tests by name elsewhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::harness::program::find;
use crate::harness::{Gatepost, Setup, Storage, free_address};
use crate::portal::portal_setup;

/// A retry comes after ten minutes: after the five seconds of the default it would meet another step of the journey each
/// time.
async fn without_early_retries() -> Setup {
    Setup::dev().await.with("WEBHOOK_RETRY_SCHEDULE", "10m,10m")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_reach_what_they_came_for() {
    run_in_browser(without_early_retries().await, "journeys.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn users_cure_what_goes_wrong_on_an_ordinary_day() {
    run_in_browser(without_early_retries().await, "everyday.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_work_for_their_organizations() {
    run_in_browser(Setup::dev().await, "organizations.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_sign_in_again_when_their_roles_have_ended() {
    run_in_browser(Setup::dev().await.with("SESSION_ROLE_MAX_AGE", "20"), "roles.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_screen_is_accessible() {
    run_in_browser(Setup::dev().await, "accessibility.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_find_and_cure_what_fails() {
    run_in_browser(without_early_retries().await, "operator.test.mjs").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_portal_wears_the_brand_of_the_host_application() {
    let port = free_address().port().to_string();
    let setup = portal_setup(Setup::dev().await).with("PORTAL_FRAME_ANCESTORS", &format!("http://localhost:{port}"));
    run_in_browser_with(&setup.start().await, "portal.test.mjs", &[("HOST_PORT", port)]).await;
}

/// One instance has a secret at the provider, the other one has none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_sign_in_at_a_provider_that_others_wrote() {
    const SECRET: &str = "a-secret-of-the-client-0123456789";
    let (storage, others) = (Storage::sqlite(), Storage::sqlite());
    let issuer = format!("http://localhost:{}", free_address().port());
    let confidential = at_provider(&storage, &issuer, "gatepost").await.with("OIDC_CLIENT_SECRET", SECRET);
    let confidential = confidential.with("OPERATOR_CLAIM", "groups=gatepost-operators").start_unready().await;
    let public = at_provider(&others, &issuer, "gatepost-public").await.start_unready().await;
    let variables = [
        ("ISSUER", issuer),
        ("CLIENT_SECRET", SECRET.to_owned()),
        ("PUBLIC_INSTANCE", format!("http://{}", public.address())),
    ];
    run_in_browser_with(&confidential, "provider.test.mjs", &variables).await;
}

/// `serve` as this client of this provider.
async fn at_provider(storage: &Storage, issuer: &str, client: &str) -> Setup {
    let address = free_address();
    let setup = Setup::serve(storage).await.at(address).with("PUBLIC_URL", &format!("http://{address}"));
    setup.with("OIDC_ISSUER", issuer).with("OIDC_AUDIENCE", client)
}

/// Takes the pictures of the documentation if `PICTURES` is set; otherwise they stay as they are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "a switch of the test; not a setting of Gatepost")]
async fn pictures_show_the_screens() {
    if std::env::var_os("PICTURES").is_some() {
        run_in_browser(Setup::dev().await, "pictures.test.mjs").await;
    }
}

async fn run_in_browser(setup: Setup, file: &'static str) {
    run_in_browser_with(&setup.start().await, file, &[]).await;
}

async fn run_in_browser_with(gatepost: &Gatepost, file: &'static str, variables: &[(&str, String)]) {
    // Only `dev` makes this file.
    let token = fs::read_to_string(gatepost.folder().join("gatepost-data/operator.token")).unwrap_or_default();
    let mut command = Command::new(find("node"));
    command.args(["--test", file]).current_dir(folder_of_tests());
    command.env("GATEPOST_URL", format!("http://{}", gatepost.address()));
    command.env("OPERATOR_TOKEN", token.trim());
    command.envs(variables.iter().map(|(name, value)| (*name, value)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    succeeds(&output);
}

#[track_caller]
pub(crate) fn succeeds(output: &Output) {
    let (text, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}\n{complaint}");
}

pub(crate) fn folder_of_tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser")
}
