//! The files of the console: who may read them, how browsers may keep them, and what their policy allows. The screens
//! name the operations that they call: see decision 119.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::browser::{folder_of_tests, succeeds};
use crate::harness::program::find;
use crate::harness::{Gatepost, Request, Response, Setup, repository};

/// The exact policy. A browser refuses everything else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_root_leads_to_the_console() {
    let gatepost = Setup::dev().await.start().await;
    for (method, path) in [("GET", "/"), ("HEAD", "/"), ("GET", "/console")] {
        let response = gatepost.send(&Request::new(method, path)).await;
        assert_eq!((response.status, response.header("location")), (303, Some("/console/")), "{method} {path}");
    }
    let posted = gatepost.send(&Request::new("POST", "/console/")).await;
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_screen_is_the_same_page_with_a_strict_policy() {
    let gatepost = Setup::dev().await.start().await;
    let home = get(&gatepost, "/console/").await;
    for path in ["/console/", "/console/keys", "/console/deliveries/dlv_1?state=failed", "/console/nowhere"] {
        let response = get(&gatepost, path).await;
        assert_eq!(response.status, 200, "{path}");
        for (name, value) in [
            ("content-security-policy", POLICY),
            ("content-type", "text/html; charset=utf-8"),
            ("cross-origin-opener-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-cache"),
            ("vary", "accept-encoding"),
        ] {
            assert_eq!(response.header(name), Some(value), "{path}: {name}");
        }
        assert_eq!(response.body, home.body, "{path}");
    }
    let page = home.text();
    assert!(!page.contains("<style") && !page.contains(" style=") && !page.contains("<script>"), "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_files_of_the_page_are_kept_for_as_long_as_they_are_true() {
    let gatepost = Setup::dev().await.start().await;
    let page = get(&gatepost, "/console/").await.text();
    let paths: BTreeSet<&str> = page.split('"').filter(|text| text.starts_with("/console/assets/")).collect();
    assert!(paths.len() > 5, "{page}");
    for path in paths {
        let compressed = Request::new("GET", path).header("accept-encoding", "gzip, deflate, br");
        let (plain, small) = (get(&gatepost, path).await, gatepost.send(&compressed).await);
        assert_eq!(plain.body, file(path), "{path} is what is in git");
        assert_eq!((small.header("content-encoding"), &small.body[..2]), (Some("gzip"), &[0x1f, 0x8b][..]), "{path}");
        assert!(small.body.len() < plain.body.len(), "{path}");
        for response in [&plain, &small] {
            assert_eq!(response.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
            assert_eq!(response.header("vary"), Some("accept-encoding"), "{path}");
        }
        assert_eq!(plain.header("content-type"), Some(content_type(path)), "{path}");
        let tag = plain.header("etag").unwrap();
        let again = gatepost.send(&Request::new("GET", path).header("if-none-match", tag)).await;
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, Some(tag)), "{path}");
        let head = gatepost.send(&Request::new("HEAD", path)).await;
        assert_eq!((head.status, head.header("etag"), head.body.len()), (200, Some(tag), 0), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_are_not_there_are_404() {
    let gatepost = Setup::dev().await.start().await;
    let page = get(&gatepost, "/console/").await.text();
    let script = page.split('"').find(|text| text.ends_with("/app.js")).unwrap();
    let version = script.split('/').nth(3).unwrap();
    for path in [
        script.replace(version, "0123456789abcdef"),
        script.replace("app.js", "nothing.js"),
        script.replace("app.js", "vendor/preact.d.ts"),
        script.replace("app.js", "../index.html"),
        format!("/console/assets/{version}/"),
    ] {
        let response = get(&gatepost, &path).await;
        assert_eq!((response.status, response.header("cache-control")), (404, Some("no-store")), "{path}");
        assert_eq!(response.json()["code"], "not_found", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_developer_sees_a_change_of_the_folder_at_once() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("web");
    fs::create_dir_all(folder.join("lib")).unwrap();
    fs::write(parent.path().join("secret.txt"), "outside").unwrap();
    fs::write(folder.join("types.d.ts"), "not loaded").unwrap();
    fs::write(folder.join("index.html"), r#"<script src="/console/assets/{version}/lib/app.js"></script>"#).unwrap();
    let gatepost = Setup::dev().await.with_web(&folder).start().await;
    for source in ["one();", "two();"] {
        fs::write(folder.join("lib/app.js"), source).unwrap();
        let page = get(&gatepost, "/console/keys").await;
        assert_eq!((page.status, page.header("content-security-policy")), (200, Some(POLICY)));
        let path = page.text().split('"').find(|text| text.starts_with("/console/assets/")).unwrap().to_owned();
        let script = get(&gatepost, &path).await;
        assert_eq!((script.status, script.text()), (200, source.to_owned()));
        assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
        assert_eq!(script.header("cache-control"), Some("no-store"));
    }
    for hidden in ["types.d.ts", "../secret.txt", "%2e%2e/secret.txt", "lib/../../secret.txt", "/etc/hostname.txt"] {
        assert_eq!(get(&gatepost, &format!("/console/assets/folder/{hidden}")).await.status, 404, "{hidden}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_console_the_root_names_the_api() {
    let gatepost = Setup::dev().await.with("CONSOLE", "false").start().await;
    let response = get(&gatepost, "/").await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let page = response.text();
    assert!(page.contains("href=\"/docs\"") && page.contains(env!("CARGO_PKG_VERSION")), "{page}");
    for path in ["/console/", "/console/keys", "/console"] {
        assert_eq!(get(&gatepost, path).await.status, 404, "{path}");
    }
}

#[test]
fn what_others_wrote_is_what_was_vendored() {
    let folder = repository().join("web/vendor");
    let sums = fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    for line in sums.lines() {
        let (expected, name) = line.split_once("  ").unwrap();
        let digest = Sha256::digest(fs::read(folder.join(name)).unwrap());
        assert_eq!(hexadecimal(&digest), expected, "{name} was changed by hand: run `cargo xtask vendor`");
    }
    let names: BTreeSet<&str> = sums.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    assert_eq!(names, BTreeSet::from(["htm.LICENSE.txt", "preact.LICENSE.txt", "preact.js"]));
}

/// Without this test, the policy would refuse it only in the browser, on the screen that has it.
#[test]
fn no_file_of_the_console_has_an_inline_style_or_makes_markup_of_strings() {
    let (web, vendor) = (repository().join("web"), repository().join("web/vendor"));
    for file in files_below(&web).into_iter().filter(|file| !file.starts_with(&vendor)) {
        let text = fs::read_to_string(&file).unwrap();
        for forbidden in [" style=", "innerHTML", "insertAdjacentHTML", "document.write", "eval(", "http-equiv"] {
            assert!(!text.contains(forbidden), "{} has {forbidden}", file.display());
        }
    }
}

async fn get(gatepost: &Gatepost, path: &str) -> Response {
    gatepost.send(&Request::new("GET", path)).await
}

/// The file below `web` that an address names. The style sheets are one, in the order in which the page names them.
fn file(path: &str) -> Vec<u8> {
    let web = repository().join("web");
    let inner = path.split('/').skip(4).collect::<Vec<_>>().join("/");
    if inner != "styles.css" {
        return fs::read(web.join(inner)).unwrap();
    }
    let page = fs::read_to_string(web.join("index.html")).unwrap();
    let named = page.split('"').filter_map(|text| text.strip_prefix("/console/assets/{version}/"));
    named.filter(|name| name.starts_with("styles/")).flat_map(|name| fs::read(web.join(name)).unwrap()).collect()
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn content_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|kind| kind.to_str()) {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        kind => panic!("{kind:?}"),
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| files_below(folder))).collect()
}

/// A field that is renamed in Rust and in the description of the API breaks this test instead of the browser.
#[test]
fn the_source_fits_the_description_of_the_api() {
    let folder = tempfile::tempdir().unwrap();
    let types = folder.path().join("api.d.ts");
    let document = folder_of_tests().join("../../docs/openapi.json");
    succeeds(&node("openapi-typescript/bin/cli.js").arg(document).arg("-o").arg(&types).output().unwrap());
    // Next to the tests, so that the compiler finds the packages.
    fs::copy(types, folder_of_tests().join("api.d.ts")).unwrap();
    succeeds(&node("typescript/bin/tsc").arg("--project").arg(folder_of_tests()).output().unwrap());
}

/// The tests without a browser: the router, the bars of charts, the cache of answers, words and signatures.
#[test]
fn the_source_passes_its_unit_tests() {
    let files = files_below(&folder_of_tests().join("unit"));
    succeeds(&Command::new(find("node")).arg("--test").args(files).output().unwrap());
}

/// Node with a program of a package.
fn node(program: &str) -> Command {
    let program = folder_of_tests().join("node_modules").join(program);
    assert!(program.is_file(), "{} is missing: `cargo xtask test` runs npm ci where it can", program.display());
    let mut command = Command::new(find("node"));
    command.arg(program);
    command
}
