use std::fmt::Write;

use super::Configuration;
use super::settings::settings;

const INTRODUCTION: &str = "\
# Configuration

<!-- Generated from the code: `cargo run -- config --reference > docs/configuration.md` -->

Each value comes from the environment, or else from the file, or else is the default. The file is `gatepost.toml` in the
working directory, or the one that `--config` names. Names are upper case in the environment and lower case in the
file. The file is flat: it has no tables.

```toml
database_url = \"postgres://gatepost@db.internal/gatepost?sslmode=require\"
oidc_issuer = \"https://id.example.com\"
oidc_audience = [\"my-client-id\"]
encryption_key_file = \"/run/secrets/gatepost_encryption_key\"
```

- `NAME_FILE` reads the value from a file, such as a container secret. One newline at the end of the file is ignored.
  Setting both `NAME` and `NAME_FILE` in one place is an error. A file that every user of the machine can write is
  logged as a warning.
- A list is an array in the file, or a string with commas.
- An empty value means \"not set\" for a setting without a default, and is an error for the others.
- An unknown name in the file, or a value that is not allowed, stops the start with exit code 78. The error names
  everything that is wrong. An unknown variable of the environment whose name is close to a setting or begins one, or
  starts with `GATEPOST_`, is logged as a warning.
- `gatepost config` shows the values that apply and where each came from, with secrets masked.
- `NO_COLOR` turns colours in log lines off.

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
