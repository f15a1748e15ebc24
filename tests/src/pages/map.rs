//! Every page is found from the map, and every link leads somewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::page::{Page, pages};
use super::sources::root;

const MAP: &str = "docs/README.md";

/// A reader of the map needs two clicks at most.
#[test]
fn the_map_leads_to_every_page() {
    let pages = pages();
    let by_path: BTreeMap<&str, &Page> = pages.iter().map(|page| (page.path.as_str(), page)).collect();
    let linked = |from: &str| -> BTreeSet<String> {
        let page = by_path.get(from);
        page.into_iter().flat_map(|page| page.linked_files()).map(|(file, _)| file).collect()
    };
    assert!(linked("README.md").contains(MAP), "the README does not link to {MAP}");
    let near = linked(MAP);
    let reached: BTreeSet<String> = near.iter().flat_map(|file| linked(file)).chain(near.clone()).collect();
    let lost: Vec<_> = by_path.keys().filter(|path| path.starts_with("docs/") && **path != MAP).collect();
    let lost: Vec<_> = lost.into_iter().filter(|path| !reached.contains(**path)).collect();
    assert!(lost.is_empty(), "neither {MAP} nor a page that it links to has a link to {lost:?}");
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|page| (page.path.as_str(), page.anchors())).collect();
    let mut dead = Vec::new();
    for page in &pages {
        for (file, anchor) in page.linked_files() {
            let known = |anchor: &String| anchors.get(file.as_str()).is_some_and(|anchors| anchors.contains(anchor));
            let leads = root().join(&file).exists() && anchor.as_ref().is_none_or(known);
            if !leads {
                dead.push(format!("{}: {file}#{}", page.path, anchor.unwrap_or_default()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere: {dead:#?}");
}
