use std::collections::BTreeSet;
use std::fs;

use super::sources::{files_below, has_extension};
use crate::harness::repository;

/// A Markdown page of the repository.
pub(super) struct Page {
    /// From the root of the repository.
    pub(super) path: String,
    pub(super) text: String,
}

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The line of its first fence, counted from 1.
    pub(super) line: usize,
    /// The first word after the fence; empty without one.
    pub(super) language: String,
    /// The content of the HTML comment directly above the fence.
    pub(super) remark: Option<String>,
    pub(super) text: String,
}

/// The README, all of `docs/`, and the READMEs of crates.
pub(super) fn pages() -> Vec<Page> {
    let paths = files_below("").into_iter().filter(|path| has_extension(path, &["md"]));
    let pages = paths.map(|path| Page { text: fs::read_to_string(repository().join(&path)).unwrap(), path });
    let pages: Vec<Page> = pages.collect();
    assert!(pages.iter().any(|page| page.path == "README.md"));
    pages
}

impl Page {
    /// The blocks, from the top of the page to its end.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut open, mut above) = (Vec::new(), None::<Block>, "");
        for (index, line) in self.text.lines().enumerate() {
            match (open.as_mut(), line.strip_prefix("```")) {
                (None, Some(info)) => open = Some(opened(index + 1, info, above)),
                (None, None) => {}
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(block), None) => block.text.extend([line, "\n"]),
            }
            above = line;
        }
        assert!(open.is_none(), "{}: a fenced block does not end", self.path);
        blocks
    }

    /// The page without its fenced blocks.
    pub(super) fn prose(&self) -> String {
        let mut is_fenced = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            let is_fence = line.starts_with("```");
            is_fenced ^= is_fence;
            if !is_fenced && !is_fence {
                prose.extend([line, "\n"]);
            }
        }
        prose
    }

    /// The targets of the page's links, as they are written.
    pub(super) fn links(&self) -> Vec<String> {
        let prose = self.prose();
        prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target.to_owned()).collect()
    }

    /// The files in the repository that the page links to, without anchors: (file, anchor).
    pub(super) fn linked_files(&self) -> Vec<(String, Option<String>)> {
        let links = self.links().into_iter().filter(|target| !target.contains("://"));
        links
            .map(|target| match target.split_once('#') {
                Some(("", anchor)) => (self.path.clone(), Some(anchor.to_owned())),
                Some((file, anchor)) => (beside(&self.path, file), Some(anchor.to_owned())),
                None => (beside(&self.path, &target), None),
            })
            .collect()
    }

    /// GitHub's anchors of the page's headings.
    pub(super) fn anchors(&self) -> BTreeSet<String> {
        let prose = self.prose();
        let headings =
            prose.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
        headings.map(anchor).collect()
    }
}

fn opened(line: usize, info: &str, above: &str) -> Block {
    let remark = above.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    let language = info.split_whitespace().next().unwrap_or_default().to_owned();
    Block { line, language, remark: remark.map(|remark| remark.trim().to_owned()), text: String::new() }
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The path of `target`, which is written relative to the file `from`.
fn beside(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[test]
fn a_page_is_taken_apart() {
    let text =
        "# A `b` c, d\n[x](../y/z.md#w) and [v](https://example.com)\n<!-- not run: why -->\n```sh\necho [n](m)\n```\n";
    let page = Page { path: "docs/a/b.md".into(), text: text.into() };
    assert_eq!(page.linked_files(), [("docs/y/z.md".to_owned(), Some("w".to_owned()))]);
    assert_eq!(page.anchors(), BTreeSet::from(["a-b-c-d".to_owned()]));
    let block =
        Block { line: 4, language: "sh".into(), remark: Some("not run: why".into()), text: "echo [n](m)\n".into() };
    assert_eq!(page.blocks(), [block]);
}
