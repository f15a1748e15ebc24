//! Folders that import each other, in a circle, within one crate. It reads the text of `use` declarations and of paths
//! that start with `crate::` or `super::`: what macros expand to stays unseen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use regex_lite::Regex;

use super::source::{rust_files, without_tests};
use crate::program::{root, say};

/// Circles that are allowed, with the reason. At most one.
const ALLOWED: &[(&str, &str)] = &[(
    "domain: audit <-> keys <-> ports <-> sessions <-> webhooks",
    "one layer, divided by subject: see decision 44; tests/src/architecture.rs checks that no files import each other",
)];

/// The imports within one crate: each folder of its source with the other folders that it names. Files that lie beside
/// the folders are leaves or wiring, and do not count.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Fails when folders of a crate import each other in a circle.
///
/// # Errors
///
/// The circles, or a file that cannot be read.
pub(super) fn check() -> anyhow::Result<()> {
    let mut circles = Vec::new();
    for source in sources()? {
        let name = source.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        circles.extend(
            circles_of(&imports(&source)?).into_iter().map(|circle| format!("{name}: {}", circle.join(" <-> "))),
        );
    }
    let is_allowed = |circle: &String| ALLOWED.iter().any(|(allowed, _)| allowed == circle);
    let (allowed, forbidden): (Vec<_>, Vec<_>) = circles.into_iter().partition(is_allowed);
    say(&format!("import circles: {} ({} allowed)", forbidden.len() + allowed.len(), allowed.len()));
    if forbidden.is_empty() { Ok(()) } else { bail!("folders import each other:\n  {}", forbidden.join("\n  ")) }
}

fn sources() -> anyhow::Result<Vec<PathBuf>> {
    let crates = fs::read_dir(root().join("crates")).context("cannot read crates")?;
    let mut sources: Vec<PathBuf> = crates.filter_map(|entry| Some(entry.ok()?.path().join("src"))).collect();
    sources.retain(|source| source.is_dir());
    sources.sort();
    Ok(sources)
}

fn imports(source: &Path) -> anyhow::Result<Imports> {
    let (mut root_text, mut texts) = (String::new(), BTreeMap::<String, String>::new());
    for file in rust_files(source)? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let inner = file.strip_prefix(source).unwrap_or(&file).to_owned();
        let depth = inner.components().count() - usize::from(inner.ends_with("mod.rs"));
        let text = from_the_root(without_tests(&text), depth);
        match inner.components().count() {
            1 if inner.ends_with("lib.rs") => root_text = text,
            1 => {}
            _ => texts.entry(folder(&inner)).or_default().push_str(&text),
        }
    }
    let modules: BTreeSet<String> = texts.keys().cloned().collect();
    let exports = exports(&root_text)?;
    let named = texts.iter().map(|(module, text)| Ok((module.clone(), named_in(text, module, &modules, &exports)?)));
    named.collect()
}

/// The folder below `src` that a file belongs to.
fn folder(inner: &Path) -> String {
    inner.components().next().map(|part| part.as_os_str().to_string_lossy().into_owned()).unwrap_or_default()
}

/// The text, in which every `super::` that leads to the crate's root is written as `crate::`. A file at `depth` 1 lies
/// in the root.
fn from_the_root(text: &str, depth: usize) -> String {
    text.replace(&"super::".repeat(depth), "crate::")
}

/// What the root of a crate exports under a shorter path: the item's name, and the module that it comes from.
fn exports(root_text: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let reexport = Regex::new(r"pub(?:\([a-z]+\))? use (?:self::|crate::)?(\w+)::([^;]+);")?;
    let item = Regex::new(r"\w+")?;
    let pairs = reexport.captures_iter(root_text).flat_map(|found| {
        let (module, items) = (found[1].to_owned(), found[2].to_owned());
        item.find_iter(&items).map(|item| (item.as_str().to_owned(), module.clone())).collect::<Vec<_>>()
    });
    Ok(pairs.collect())
}

/// The modules that this text names, `module` itself excepted.
fn named_in(
    text: &str,
    module: &str,
    modules: &BTreeSet<String>,
    exports: &BTreeMap<String, String>,
) -> anyhow::Result<BTreeSet<String>> {
    let path = Regex::new(r"\bcrate::(?:(\w+)|\{([^;]*?)\};)")?;
    let first_names = Regex::new(r"(?:^|,)\s*(\w+)")?;
    let mut names = BTreeSet::new();
    for found in path.captures_iter(text) {
        if let Some(name) = found.get(1) {
            names.insert(name.as_str().to_owned());
        }
        if let Some(list) = found.get(2) {
            let list = without_inner_lists(list.as_str());
            names.extend(first_names.captures_iter(&list).map(|name| name[1].to_owned()));
        }
    }
    let found = names.into_iter().map(|name| exports.get(&name).cloned().unwrap_or(name));
    Ok(found.filter(|name| name != module && modules.contains(name)).collect())
}

/// `a, b::{c, d}` as `a, b::`.
fn without_inner_lists(list: &str) -> String {
    let mut depth = 0_usize;
    let outer = list.chars().filter(|character| {
        depth = match character {
            '{' => depth + 1,
            '}' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0 && *character != '}'
    });
    outer.collect()
}

/// Groups of modules in which each one reaches each other one.
fn circles_of(imports: &Imports) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|module| (module, reached_from(module, imports))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reached {
        let circle: Vec<String> = others
            .iter()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(*module)))
            .cloned()
            .collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reached_from(start: &str, imports: &Imports) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![start.to_owned()]);
    while let Some(module) = open.pop() {
        for next in imports.get(&module).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_found_through_reexports_and_super() {
        let folder = std::env::temp_dir().join(format!("xtask-modules-{}", std::process::id()));
        for name in ["a", "b", "c"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        write("lib.rs", "mod a; mod b; mod c;\npub use b::{Second, Third};\npub use c::Last;\n");
        write("a/mod.rs", "use crate::{Second, c::{Last, b}};\n");
        write("b/mod.rs", "use super::c::Last;\n#[cfg(test)]\nmod tests { use crate::a::First; }\n");
        write("c/mod.rs", "fn nothing() {}\n");
        let found = imports(&folder).unwrap();
        assert_eq!(found["a"], ["b", "c"].map(str::to_owned).into());
        assert!(circles_of(&found).is_empty(), "tests do not count: {found:?}");
        write("b/inner.rs", "use super::super::a::First;\n");
        assert_eq!(circles_of(&imports(&folder).unwrap()), [["a", "b"]]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
