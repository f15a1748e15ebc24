//! The shape of the workspace, read from cargo: dependencies point inward, keys, sessions and webhooks do not import each
//! other, and both databases have the same migrations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// The dependencies that each crate of the workspace may have on the others, outside tests. A crate that is missing
/// here fails the test, so that its place is decided.
const EDGES: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("counters", &[]),
    ("pages", &[]),
    ("doctor", &["domain"]),
    ("storage-conformance", &["domain"]),
    ("adapters-journal", &["domain"]),
    ("sharded-store", &["domain"]),
    ("verifier", &["counters", "domain"]),
    ("dispatcher", &["counters", "domain"]),
    ("upkeep", &["domain"]),
    ("diesel-mapping", &["domain"]),
    ("adapters-sqlite", &["counters", "diesel-mapping", "domain"]),
    ("adapters-postgres", &["counters", "diesel-mapping", "domain"]),
    ("adapters-oidc", &["domain", "pages"]),
    ("adapters-egress", &["domain"]),
    ("adapters-otlp", &["domain"]),
    ("adapters-schemas", &["domain"]),
    ("adapters-system", &["domain"]),
    ("adapters-http", &["counters", "domain", "pages", "verifier"]),
    ("adapters-web", &["pages"]),
    ("adapters-metrics", &["counters", "dispatcher", "domain", "verifier"]),
    ("gatepost-client", &[]),
    ("cli", &["adapters-system", "domain", "gatepost-client", "pages"]),
    (
        "app",
        &[
            "adapters-egress",
            "adapters-http",
            "adapters-metrics",
            "adapters-oidc",
            "adapters-otlp",
            "adapters-postgres",
            "adapters-schemas",
            "adapters-sqlite",
            "adapters-system",
            "adapters-web",
            "cli",
            "dispatcher",
            "doctor",
            "domain",
            "gatepost-client",
            "sharded-store",
            "upkeep",
            "verifier",
        ],
    ),
    ("throwaway-postgres", &[]),
    ("xtask", &["throwaway-postgres"]),
    ("bench", &["diesel-mapping", "domain", "throwaway-postgres"]),
    ("faults", &["gatepost-client", "throwaway-postgres"]),
    ("tests", &[]),
];

/// Packages that a crate must not depend on, directly or indirectly, by the start of their names.
const ABSENCES: &[(&str, &[&str])] = &[
    ("domain", &["actix", "diesel", "tokio", "serde", "hyper", "reqwest", "tracing", "getrandom"]),
    ("storage-conformance", &["actix", "diesel", "serde", "hyper", "reqwest"]),
    ("adapters-journal", &["actix", "diesel", "serde", "hyper", "reqwest"]),
    ("sharded-store", &["actix", "diesel", "hyper", "reqwest"]),
    ("verifier", &["actix", "diesel", "hyper", "reqwest"]),
    ("dispatcher", &["actix", "diesel", "hyper", "reqwest"]),
    ("upkeep", &["actix", "diesel", "hyper", "reqwest"]),
    ("diesel-mapping", &["actix", "hyper", "reqwest"]),
    ("adapters-sqlite", &["actix", "hyper", "reqwest", "tokio-postgres"]),
    ("adapters-postgres", &["actix", "hyper", "reqwest", "pq-sys"]),
    ("adapters-http", &["diesel", "tokio-postgres", "libsqlite3-sys", "jsonwebtoken", "reqwest"]),
    ("adapters-egress", &["actix", "diesel", "tokio-postgres", "libsqlite3-sys", "reqwest"]),
    ("adapters-system", &["actix", "diesel", "hyper", "reqwest"]),
    ("adapters-otlp", &["actix", "diesel", "tokio-postgres", "libsqlite3-sys", "prost", "opentelemetry"]),
    ("adapters-schemas", &["actix", "diesel", "hyper", "reqwest"]),
    ("adapters-web", &["diesel", "tokio-postgres", "libsqlite3-sys", "reqwest"]),
    ("adapters-metrics", &["diesel", "tokio-postgres", "libsqlite3-sys", "hyper", "reqwest"]),
    ("gatepost-client", &["actix", "diesel", "domain"]),
    ("cli", &["diesel", "tokio-postgres", "libsqlite3-sys", "jsonwebtoken", "utoipa"]),
    ("app", &["openssl-sys", "native-tls", "pq-sys", "opentelemetry", "ring", "rsa", "moka", "actix-governor"]),
];

/// The wings of the product.
const WINGS: [&str; 3] = ["keys", "sessions", "webhooks"];

#[test]
fn crates_depend_inward_only() {
    let metadata = metadata();
    let members: BTreeSet<&str> = metadata.workspace_packages().iter().map(|package| package.name.as_str()).collect();
    let allowed: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let allowed = allowed.get(name).unwrap_or_else(|| panic!("{name} has no place in EDGES"));
        let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        for used in normal.map(|dependency| dependency.name.as_str()).filter(|used| members.contains(used)) {
            assert!(allowed.contains(&used), "{name} may not use {used}");
        }
    }
}

/// Uses `cargo tree`, which resolves the features of each crate separately; the metadata of the workspace mixes them.
#[test]
fn forbidden_packages_are_absent() {
    for (member, absent) in ABSENCES {
        let tree = normal_tree(member);
        assert!(tree.contains(*member), "{member}: {tree:?}");
        for package in &tree {
            let forbidden = absent.iter().find(|start| is_of_family(package, start));
            assert!(forbidden.is_none(), "{member} depends on {package}");
        }
    }
}

/// `diesel` and `diesel-async` belong to the family `diesel`; `ringbuffer` does not belong to `ring`.
fn is_of_family(package: &str, start: &str) -> bool {
    package.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// A crate that knows several wings of the product has a folder for each. No wing imports another: shared code is at
/// the root of the crate.
#[test]
fn keys_sessions_and_webhooks_do_not_import_each_other() {
    let exports: BTreeMap<&str, BTreeSet<String>> = WINGS.iter().map(|wing| (*wing, exports_of(wing))).collect();
    for (wing, known) in
        [("keys", "ApiKey"), ("keys", "KeyStore"), ("sessions", "SessionStore"), ("webhooks", "EventStore")]
    {
        assert!(exports[wing].contains(known), "{known} belongs to {wing}: {exports:?}");
    }
    let mut read = BTreeMap::from(WINGS.map(|wing| (wing, 0)));
    for file in rust_files(&root().join("crates")) {
        let Some(own) = wing(&file) else { continue };
        let imported = imports(&fs::read_to_string(&file).unwrap());
        for other in WINGS.into_iter().filter(|other| *other != own) {
            let wrong = imported.iter().find(|name| exports[other].contains(*name) || *name == other);
            assert!(wrong.is_none(), "{} imports {wrong:?}", file.display());
        }
        *read.get_mut(own).unwrap() += 1;
    }
    assert!(read.values().all(|files| *files > 20), "files that were read: {read:?}");
}

/// The folders of `domain` name each other: a port has the types of a wing in its signatures, and the use cases of that
/// wing call the port. Files do not, so that each can be read after the files that it builds on.
#[test]
fn no_files_of_the_domain_import_each_other_in_a_circle() {
    let texts: BTreeMap<PathBuf, String> = rust_files(&root().join("crates/domain/src"))
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file).unwrap();
            (file, text.split("#[cfg(test)]").next().unwrap_or_default().to_owned())
        })
        .collect();
    let homes: BTreeMap<String, &PathBuf> =
        texts.iter().flat_map(|(file, text)| public_items(text).into_iter().map(move |item| (item, file))).collect();
    assert!(["KeyStore", "KeyId", "Webhooks"].iter().all(|item| homes.contains_key(*item)), "{homes:?}");
    let mut rest: BTreeMap<&PathBuf, BTreeSet<&PathBuf>> = texts
        .iter()
        .map(|(file, text)| (file, imports(text).iter().filter_map(|name| homes.get(name).copied()).collect()))
        .collect();
    loop {
        let (low, high): (BTreeMap<_, _>, BTreeMap<_, _>) =
            rest.iter().partition(|(file, used)| !used.iter().any(|used| used != *file && rest.contains_key(used)));
        if low.is_empty() {
            break;
        }
        rest = high.into_iter().map(|(file, used)| (*file, used.clone())).collect();
    }
    assert!(rest.is_empty(), "these files import each other in a circle, or a file that does: {:#?}", rest.keys());
}

/// The names that other files can import. A `TypeID` is declared by a macro, with its name and its prefix in a line. An
/// enum whose values have names is inside of a macro, and indented.
fn public_items(text: &str) -> Vec<String> {
    let kinds = ["struct", "enum", "trait", "type", "const", "fn"];
    let is_declared = |line: &&str| line.starts_with("pub") || line.starts_with("    pub enum ");
    let declared = text.lines().filter(is_declared).filter_map(|line| {
        let words = words(line);
        let kind = words.iter().position(|word| kinds.contains(&word.as_str()))?;
        words[kind + 1..].iter().find(|word| *word != "fn").cloned()
    });
    let ids = text.lines().filter(|line| line.ends_with("_\"")).filter_map(|line| words(line).into_iter().next());
    declared.chain(ids).collect()
}

/// The exports of `domain` and `domain::ports` from the module of this wing. All of `domain::sessions` and
/// `domain::webhooks` is named by its path.
fn exports_of(wing: &str) -> BTreeSet<String> {
    let source = root().join("crates/domain/src");
    let texts = ["lib.rs", "ports/mod.rs"].map(|file| fs::read_to_string(source.join(file)).unwrap());
    let exports = texts.iter().flat_map(|text| text.split("pub use ").skip(1)).filter_map(|export| {
        let (path, items) = export.split(';').next()?.rsplit_once("::")?;
        (path.split("::").next()? == wing).then(|| words(items))
    });
    exports.flatten().collect()
}

/// All names in the `use` declarations that begin with this crate or with `domain`.
fn imports(text: &str) -> BTreeSet<String> {
    let ours = |path: &&str| ["crate::", "super::", "domain::"].iter().any(|start| path.starts_with(start));
    let declarations = text.split("use ").skip(1).filter(ours).filter_map(|rest| rest.split(';').next());
    declarations.flat_map(words).collect()
}

fn words(text: &str) -> Vec<String> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !is_part(character)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The wing of a source file: its folder, or the file of a wing.
fn wing(file: &Path) -> Option<&'static str> {
    let file = file.strip_prefix(root()).unwrap();
    let is_source = file.components().any(|part| part.as_os_str() == "src");
    let is_in = |wing: &&str| file.with_extension("").components().any(|part| part.as_os_str() == *wing);
    WINGS.into_iter().filter(|_| is_source).find(is_in)
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_rust = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "rs");
    files.into_iter().filter(is_rust).chain(folders.iter().flat_map(|folder| rust_files(folder))).collect()
}

/// Each concern of the HTTP adapter has a folder; the shared files are few enough to see at once.
#[test]
fn the_http_adapter_has_few_files_at_its_root() {
    let source = root().join("crates/adapters-http/src");
    let files = names_in(&source).into_iter().filter(|name| source.join(name).is_file()).collect::<Vec<_>>();
    assert!(files.len() <= 8, "{files:?}");
}

#[test]
fn both_databases_have_the_same_migrations() {
    let migrations = root().join("migrations");
    let (postgres, sqlite) = (names_in(&migrations.join("postgres")), names_in(&migrations.join("sqlite")));
    assert_eq!(postgres, sqlite);
    assert!(!postgres.is_empty());
    for (database, name) in ["postgres", "sqlite"].iter().flat_map(|d| postgres.iter().map(move |name| (d, name))) {
        let folder = migrations.join(database).join(name);
        for direction in ["up.sql", "down.sql"] {
            let sql = fs::read_to_string(folder.join(direction)).unwrap_or_default();
            assert!(!sql.trim().is_empty(), "{database}/{name}/{direction} is missing or empty");
        }
        let (time, words) = name.split_once('_').unwrap();
        assert!(time.len() == 14 && time.bytes().all(|b| b.is_ascii_digit()) && !words.is_empty(), "{name}");
    }
}

#[test]
fn the_agreed_folders_exist() {
    for name in ["Cargo.toml", "crates", "migrations", "docs", "tests", "rust-toolchain.toml", "README.md"] {
        assert!(root().join(name).exists(), "{name}");
    }
    for name in ["domain", "adapters-http", "adapters-postgres", "app"] {
        assert!(root().join("crates").join(name).join("Cargo.toml").exists(), "{name}");
    }
}

fn metadata() -> Metadata {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml")).no_deps().other_options(["--locked".to_owned()]);
    command.exec().unwrap()
}

/// The names of all packages that this package depends on, except for its tests and its build.
fn normal_tree(member: &str) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--package", member]);
    // A developer may have switched feature unification on, which mixes the features here too.
    cargo.env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION");
    let output = cargo.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}
