//! Every page is found from the map, every record from the code that it explains, and every link leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::page::{Page, pages};
use super::sources::{files_below, has_extension};
use crate::harness::repository;

const MAP: &str = "docs/README.md";
const RECORDS: &str = "docs/decisions/";

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
            let leads = repository().join(&file).exists() && anchor.as_ref().is_none_or(known);
            if !leads {
                dead.push(format!("{}: {file}#{}", page.path, anchor.unwrap_or_default()));
            }
        }
    }
    assert!(dead.is_empty(), "links that lead nowhere: {dead:#?}");
}

#[test]
fn code_names_every_record_that_explains_it() {
    let (named, records) = (records_named_by_code(), record_pages());
    let merged: BTreeSet<usize> = merged_records().into_iter().map(|(number, _)| number).collect();
    let unnamed = records.iter().filter(|(number, _)| !merged.contains(number) && !named.contains_key(number));
    let unnamed: Vec<_> = unnamed.collect();
    assert!(unnamed.is_empty(), "no code names these records, as in \"see decision 38\": {unnamed:#?}");
    let unknown: Vec<_> = named.iter().filter(|(number, _)| !records.contains_key(number)).collect();
    assert!(unknown.is_empty(), "code names records that do not exist: {unknown:#?}");
}

/// The pages of records by their numbers, which have no gap and no duplicate. A merged record has the page of the table.
fn record_pages() -> BTreeMap<usize, String> {
    let files = files_below("docs/decisions").into_iter().filter(|path| !path.ends_with("README.md"));
    let number = |path: &String| leading_number(path.strip_prefix(RECORDS).unwrap()).unwrap();
    let mut records: Vec<(usize, String)> = files.map(|path| (number(&path), path)).chain(merged_records()).collect();
    records.sort();
    let numbers: Vec<usize> = records.iter().map(|(number, _)| *number).collect();
    let expected: Vec<usize> = (1..=records.len()).collect();
    assert_eq!(numbers, expected, "each number has one record, or one line of the table");
    records.into_iter().collect()
}

/// The rows of the table of merged records: their numbers, and the page that has their content.
fn merged_records() -> Vec<(usize, String)> {
    let text = fs::read_to_string(repository().join(RECORDS).join("README.md")).unwrap();
    let (_, table) = text.split_once("## Merged records").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix('|')?.split_once('|'));
    let merged = rows.flat_map(|(numbers, page)| {
        numbers.split(',').filter_map(|number| Some((number.trim().parse().ok()?, page.to_owned()))).collect::<Vec<_>>()
    });
    merged.collect()
}

/// The numbers of records that code names, each with a file that names the record.
fn records_named_by_code() -> BTreeMap<usize, String> {
    let mut named = BTreeMap::new();
    let is_code = |path: &String| has_extension(path, &["rs", "sql", "toml"]) && !path.starts_with("tests/src/pages/");
    for path in files_below("").into_iter().filter(is_code) {
        let text = fs::read_to_string(repository().join(&path)).unwrap();
        named.extend(record_numbers(&text).into_iter().map(|number| (number, path.clone())));
    }
    named
}

/// The numbers after `docs/decisions/`, and in `decision 38` and `decisions 9, 15 and 35`.
fn record_numbers(text: &str) -> Vec<usize> {
    let mut numbers: Vec<usize> = text.split(RECORDS).skip(1).filter_map(leading_number).collect();
    let mut is_list = false;
    for word in text.split_whitespace() {
        let number = leading_number(word);
        numbers.extend(number.filter(|_| is_list));
        let begins = ["decision", "decisions", "record"].contains(&word.trim_start_matches('('));
        is_list = begins || is_list && (word == "and" || number.is_some() && !word.ends_with(['.', ')']));
    }
    numbers
}

fn leading_number(text: &str) -> Option<usize> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[test]
fn record_numbers_are_read_from_code() {
    assert_eq!(record_numbers("(decision 38). 7"), [38]);
    assert_eq!(record_numbers("see decisions 9, 15 and 35."), [9, 15, 35]);
    assert_eq!(record_numbers("# docs/decisions/0039-how.md, a record of 3"), [39]);
}
