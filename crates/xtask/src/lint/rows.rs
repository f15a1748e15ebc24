//! Rows to insert. Without their attribute, diesel composes the statement at each insertion (decision 39).

use anyhow::ensure;

use super::source::files;
use crate::program::root;

const FOLDERS: [&str; 3] = ["crates/adapters-postgres/src", "crates/adapters-sqlite/src", "crates/diesel-mapping/src"];

const ATTRIBUTE: &str = "treat_none_as_default_value = false";

/// # Errors
///
/// When a row lacks the attribute.
pub(super) fn check() -> anyhow::Result<()> {
    let mut findings = Vec::new();
    for folder in FOLDERS {
        for (file, text) in files(&root().join(folder), "rs")? {
            findings.extend(composed(&text).map(|row| format!("{}: {row}", file.display())));
        }
    }
    ensure!(findings.is_empty(), "rows without `{ATTRIBUTE}`:\n  {}", findings.join("\n  "));
    Ok(())
}

/// The names of the rows without the attribute.
fn composed(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[derive(").skip(1).filter_map(|derived| {
        let (attributes, declared) = derived.split_once("struct ")?;
        let is_composed = attributes.contains("Insertable") && !attributes.contains(ATTRIBUTE);
        is_composed.then(|| declared.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_the_attribute_are_found() {
        let text = "#[derive(Insertable)]\n#[diesel(table_name = keys)]\nstruct Bad<'a> {}\n\
            #[derive(Debug, Insertable)]\n#[diesel(table_name = keys, treat_none_as_default_value = false)]\nstruct Good;\n\
            #[derive(Queryable)]\n#[diesel(table_name = keys)]\nstruct Read {}";
        assert_eq!(composed(text).collect::<Vec<_>>(), ["Bad"]);
    }
}
