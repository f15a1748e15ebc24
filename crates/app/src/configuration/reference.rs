use std::fmt::Write;

use super::Configuration;
use super::settings::settings;

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated from the code: `cargo run -- config --reference > docs/configuration.md` -->

A value comes from the environment, else from the file, else it is the default. The file is `gatepost.toml` in the
working directory, or the one that `--config` names. Names are upper case in the environment and lower case in the
file, which is flat: no tables.

```toml
database_url = \"postgres://gatepost@db.internal/gatepost?sslmode=require\"
oidc_issuer = \"https://id.example.com\"
oidc_audience = [\"my-client-id\"]
encryption_key_file = \"/run/secrets/gatepost_encryption_key\"
```

- `NAME_FILE` reads the value from a file, as container secrets are given; one newline at its end does not count. Both
  `NAME` and `NAME_FILE` in one place is an error.
- A list is an array in the file, or a text with commas.
- An empty value counts as not set where a setting has no default, and is refused elsewhere.
- An unknown name in the file, or a value that cannot be, stops the start with exit code 78. Everything that is wrong is
  named at once.
- `gatepost config` shows what is in force and where each value came from, with secrets masked.

| name | default | what it is | allowed |
|---|---|---|---|
";

/// The page `docs/configuration.md`.
pub(crate) fn reference_page() -> String {
    let default = Configuration::default();
    let mut page = INTRODUCTION.to_owned();
    for setting in settings() {
        let value =
            (setting.show)(&default).map_or_else(|| setting.when_unset.to_owned(), |value| format!("`{value}`"));
        let (name, doc, allowed) = (setting.name, setting.doc, (setting.allowed)());
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| `{name}` | {value} | {doc} | {allowed} |");
    }
    page
}
