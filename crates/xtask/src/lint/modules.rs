//! Files, and folders, that import each other in a circle, within one crate. It reads the text of `use` declarations
//! and of paths that start with `crate::` or `super::`. It does not see the expansions of macros, and the index of a
//! folder (`mod.rs`) may name its own files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use regex_lite::Regex;

use super::source::{files, without_tests};
use crate::program::{root, say};

/// Circles of folders that are allowed, with the reason. At most one.
const ALLOWED_FOLDERS: &[(&str, &str)] = &[(
    "domain: audit <-> catalogue <-> keys <-> organizations <-> owners <-> ports <-> sessions <-> webhooks",
    "one layer, divided by subject: see decision 44; its files have no circle",
)];

/// How many circles of files each crate may have, with the reason. A change may end one, and adds none.
const ALLOWED_FILES: &[(&str, usize, &str)] = &[
    ("adapters-postgres", 1, "a store opens its parts, and the parts take connections from the store"),
    ("dispatcher", 1, "the state of the dispatcher holds the parts that work on it"),
];

/// A module or an item, by the names that lead to it from the root of the crate.
type Names = Vec<String>;

/// Each node with the other nodes that it imports.
type Imports<Node> = BTreeMap<Node, BTreeSet<Node>>;

/// The source of a crate.
struct Source {
    /// The text of each file without its tests, by its module.
    files: BTreeMap<Names, String>,
    /// The exports of the file under a shorter path: the name of the item, and the path that it comes from.
    exports: BTreeMap<Names, BTreeMap<String, Names>>,
}

/// Fails when files or folders of a crate import each other in a circle.
///
/// # Errors
///
/// The circles, or a file that cannot be read.
pub(super) fn check() -> anyhow::Result<()> {
    let (mut of_folders, mut of_files) = (Vec::new(), Vec::new());
    for source in sources()? {
        let name = source.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let named = |circle: Vec<String>| format!("{name}: {}", circle.join(" <-> "));
        let files = Source::read(&source)?.imports()?;
        of_folders.extend(circles_of(&folders_of(&files)).into_iter().map(named));
        let file_names = |circle: Vec<Names>| circle.into_iter().map(|file| file.join("/")).collect();
        of_files.push((name.clone(), circles_of(&files).into_iter().map(file_names).map(named).collect()));
    }
    let forbidden = [forbidden_folders(of_folders), forbidden_files(of_files)].concat();
    if forbidden.is_empty() { Ok(()) } else { bail!("these import each other:\n  {}", forbidden.join("\n  ")) }
}

/// Reports the number of circles, and returns the forbidden ones.
fn forbidden_folders(circles: Vec<String>) -> Vec<String> {
    let count = circles.len();
    let is_allowed = |circle: &String| ALLOWED_FOLDERS.iter().any(|(allowed, _)| allowed == circle);
    let forbidden: Vec<String> = circles.into_iter().filter(|circle| !is_allowed(circle)).collect();
    say(&format!("import circles of folders: {count} ({} allowed)", count - forbidden.len()));
    forbidden
}

/// Reports the number of circles, and returns those of the crates with too many.
fn forbidden_files(of_crates: Vec<(String, Vec<String>)>) -> Vec<String> {
    let count: usize = of_crates.iter().map(|(_, circles)| circles.len()).sum();
    let max: usize = ALLOWED_FILES.iter().map(|(_, max, _)| max).sum();
    say(&format!("import circles of files: {count} ({max} allowed)"));
    let allowed = |name: &str| ALLOWED_FILES.iter().find(|(of, ..)| *of == name).map_or(0, |(_, max, _)| *max);
    of_crates
        .into_iter()
        .filter(|(name, circles)| circles.len() > allowed(name))
        .flat_map(|(_, circles)| circles)
        .collect()
}

fn sources() -> anyhow::Result<Vec<PathBuf>> {
    let crates = fs::read_dir(root().join("crates")).context("cannot read crates")?;
    let mut sources: Vec<PathBuf> = crates.filter_map(|entry| Some(entry.ok()?.path().join("src"))).collect();
    sources.retain(|source| source.is_dir());
    sources.sort();
    Ok(sources)
}

/// The imports between folders below `src`. Files next to the folders are leaves or wiring, and do not count.
fn folders_of(files: &Imports<Names>) -> Imports<String> {
    let folders: BTreeSet<&String> =
        files.keys().filter(|file| file.len() > 1).filter_map(|file| file.first()).collect();
    let folder = |file: &Names| file.first().filter(|name| folders.contains(name)).cloned();
    let mut imports = Imports::new();
    for (file, imported) in files {
        let Some(own) = folder(file) else { continue };
        let others = imported.iter().filter_map(folder).filter(|other| *other != own);
        imports.entry(own.clone()).or_insert_with(BTreeSet::new).extend(others);
    }
    imports
}

impl Source {
    fn read(source: &Path) -> anyhow::Result<Self> {
        let (comment, scope) = (Regex::new("//.*")?, Regex::new(r"\(in [^)]*\)")?);
        let mut modules = BTreeMap::new();
        for (file, text) in files(source, "rs")? {
            let text = comment.replace_all(without_tests(&text), "").into_owned();
            modules.insert(module(file.strip_prefix(source)?), scope.replace_all(&text, "").into_owned());
        }
        let mut exports = BTreeMap::new();
        let reexport = Regex::new(r"\bpub(?:\([a-z]+\))? use ([^;]+);")?;
        for (module, text) in &modules {
            let paths = reexport.captures_iter(text).flat_map(|found| paths_of(&found[1]));
            let named = paths.filter_map(|path| Some((path.last()?.clone(), path)));
            exports.insert(module.clone(), named.collect());
        }
        Ok(Self { files: modules, exports })
    }

    /// The imports between files.
    fn imports(&self) -> anyhow::Result<Imports<Names>> {
        let declaration = Regex::new(r"(?:^|\n)\s*(pub(?:\([a-z]+\))? )?use ([^;]+);")?;
        let path = Regex::new(r"\b(?:crate|super)(?:::\w+)+")?;
        let mut imports = Imports::new();
        for (module, text) in &self.files {
            // An export for another file is not an import.
            let declared = declaration.captures_iter(text).filter(|found| found.get(1).is_none());
            let declared = declared.flat_map(|found| paths_of(&found[2]));
            let rest = declaration.replace_all(text, "\n");
            let paths: Vec<Names> =
                declared.chain(path.find_iter(&rest).flat_map(|path| paths_of(path.as_str()))).collect();
            let imported = paths.iter().filter_map(|path| Some(self.home(&from_the_root(module, path)?, 0)));
            imports.insert(module.clone(), imported.filter(|other| other != module).collect());
        }
        Ok(imports)
    }

    /// The module of the file that declares an item. An export that leads to another export is followed a few times.
    fn home(&self, path: &[String], followed: u8) -> Names {
        let mut module = Names::new();
        for (index, name) in path.iter().enumerate() {
            let inner = [module.as_slice(), std::slice::from_ref(name)].concat();
            if self.files.contains_key(&inner) {
                module = inner;
                continue;
            }
            let exported = self.exports.get(&module).and_then(|exports| exports.get(name)).filter(|_| followed < 4);
            let Some(exported) = exported else { return module };
            let from = from_the_root(&module, exported).unwrap_or_else(|| [module.clone(), exported.clone()].concat());
            return self.home(&[from.as_slice(), &path[index + 1..]].concat(), followed + 1);
        }
        module
    }
}

/// The module of a file below `src`.
fn module(file: &Path) -> Names {
    let path = file.with_extension("");
    let mut names: Names = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let is_index = |name: &String| ["mod", "lib", "main"].contains(&name.as_str());
    names.pop_if(|name| is_index(name));
    names
}

/// The path from the root of the crate; `None` for a path that begins in another crate.
fn from_the_root(module: &[String], path: &[String]) -> Option<Names> {
    let ups = path.iter().take_while(|name| *name == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat()),
        _ => None,
    }
}

/// The paths of a `use` declaration: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`.
fn paths_of(tree: &str) -> Vec<Names> {
    let names =
        |path: &str| path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let Some((start, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![names(path)];
    };
    let start: Names = names(start);
    let list = list.rsplit_once('}').map_or(list, |(list, _)| list);
    let branches = branches_of(list).into_iter().flat_map(paths_of);
    branches.map(|branch| [start.as_slice(), &branch].concat()).collect()
}

/// The parts of a list that its outer commas separate.
fn branches_of(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = list.split(move |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
}

/// Groups of nodes in which each one reaches each other one.
fn circles_of<Node: Clone + Ord>(imports: &Imports<Node>) -> Vec<Vec<Node>> {
    let reached: Imports<Node> = imports.keys().map(|node| (node.clone(), reached_from(node, imports))).collect();
    let mut circles = BTreeSet::new();
    for (node, others) in &reached {
        let reaches_back = |other: &&Node| reached.get(*other).is_some_and(|back| back.contains(node));
        let circle: Vec<Node> = others.iter().filter(reaches_back).cloned().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reached_from<Node: Clone + Ord>(start: &Node, imports: &Imports<Node>) -> BTreeSet<Node> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(node) = open.pop() {
        for next in imports.get(node).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Names {
        path.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn a_circle_is_found_through_reexports_and_super() {
        let folder = std::env::temp_dir().join(format!("xtask-modules-{}", std::process::id()));
        for name in ["a", "b", "c"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let imports = || Source::read(&folder).unwrap().imports().unwrap();
        write("lib.rs", "mod a; mod b; mod c;\npub use b::{Second, Third};\npub use c::Last;\n");
        write("a/mod.rs", "mod own;\nuse own::Own;\nuse crate::{Second, c::{Last, b}};\n");
        write("a/own.rs", "pub(in crate::a) struct Own;\n");
        write("b/mod.rs", "use super::c::Last;\n#[cfg(test)]\nmod tests { use crate::a::First; }\n");
        write("c/mod.rs", "// use crate::a::First;\nfn nothing() {}\n");
        assert_eq!(imports()[&names("a")], [names("b"), names("c")].into());
        assert!(circles_of(&imports()).is_empty(), "tests and comments do not count: {:?}", imports());
        write("b/inner.rs", "use super::super::a::First;\n");
        assert_eq!(circles_of(&folders_of(&imports())), [["a", "b"]]);
        assert!(circles_of(&imports()).is_empty(), "the files b and b/inner are two");
        write("c/inner.rs", "fn f() -> crate::c::other::Other { todo() }\n");
        write("c/other.rs", "use super::inner;\n");
        assert_eq!(circles_of(&imports()), [[names("c/inner"), names("c/other")]]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
