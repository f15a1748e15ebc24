//! Where values come from: the environment, the file, and files with one value.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::{ConfigFile, SECRET, problems, with};

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_default() {
    let file = "listen = '127.0.0.1:1'\nmigrate = false\ndatabase_pool_size = 7";
    let loaded = with(file, [("LISTEN", "127.0.0.1:2")]).unwrap();
    assert_eq!(loaded.value("LISTEN"), (Some("127.0.0.1:2".into()), "environment".into()));
    let (migrate, origin) = loaded.value("MIGRATE");
    assert_eq!((migrate.as_deref(), origin.ends_with("gatepost.toml")), (Some("false"), true));
    assert_eq!(loaded.value("DATABASE_POOL_SIZE").0.as_deref(), Some("7"));
    assert_eq!(loaded.value("LOG"), (Some("info".into()), "default".into()));
}

#[test]
fn a_value_file_is_read_without_its_newline() {
    let file = ConfigFile::new("");
    for content in ["127.0.0.1:9", "127.0.0.1:9\n", "127.0.0.1:9\r\n"] {
        let path = file.beside("listen", content);
        let loaded = file.load(&[("LISTEN_FILE", &path)]).unwrap();
        assert_eq!(loaded.value("LISTEN"), (Some("127.0.0.1:9".into()), format!("LISTEN_FILE={path}")));
        let loaded = with(&format!("listen_file = '{path}'"), []).unwrap();
        assert_eq!(loaded.value("LISTEN").0.as_deref(), Some("127.0.0.1:9"));
    }
    // An editor adds one newline. A second one is part of the value.
    let path = file.beside("token", &format!("{SECRET}\n\n"));
    assert!(problems("", [("OPERATOR_TOKEN_FILE", &path)]).contains("OPERATOR_TOKEN is \"***\""));
}

#[test]
fn a_value_file_that_everyone_can_write_is_reported() {
    let file = ConfigFile::new("");
    let path = file.beside("token", SECRET);
    let complaint = |mode| {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        file.load(&[("OPERATOR_TOKEN_FILE", &path)]).unwrap().complaint
    };
    assert_eq!(complaint(0o644), "");
    let warning = complaint(0o646);
    assert!(warning.contains(&format!("every user of this machine can write {path}")), "{warning}");
}

#[test]
fn a_value_and_its_file_beside_each_other_are_refused() {
    let file = ConfigFile::new("");
    let path = file.beside("token", SECRET);
    let text = problems("", [("OPERATOR_TOKEN", SECRET), ("OPERATOR_TOKEN_FILE", &path)]);
    assert!(text.contains("OPERATOR_TOKEN and OPERATOR_TOKEN_FILE are both set (environment)"), "{text}");
    let text = problems(&format!("operator_token = '{SECRET}'\noperator_token_file = '{path}'"), []);
    assert!(text.contains("both set"), "{text}");
    // If they are set in different places, the environment wins.
    let loaded = with("operator_token_file = '/nowhere'", [("OPERATOR_TOKEN", SECRET)]).unwrap();
    assert_eq!(loaded.value("OPERATOR_TOKEN").1, "environment");
}

#[test]
fn a_value_file_that_cannot_be_read_is_named() {
    let text = problems("", [("ENCRYPTION_KEY_FILE", "/nowhere/key")]);
    assert!(
        text.contains("ENCRYPTION_KEY_FILE names /nowhere/key, which gatepost cannot read: No such file"),
        "{text}"
    );
    let text = problems("", [("LOG_FILE", "/dev/zero")]);
    assert!(text.contains("longer than 64 KiB"), "{text}");
}

#[test]
fn a_file_that_is_named_must_be_there_and_be_toml() {
    let file = ConfigFile::new("");
    fs::remove_file(file.path()).unwrap();
    let missing = file.load(&[]).unwrap_err();
    assert!(missing.contains(&format!("cannot read the file {}", file.path().display())), "{missing}");
    let broken = problems("listen = '127.0.0.1:1'\noperator_token = hunter2\n", []);
    assert!(broken.contains("TOML parse error at line 2, column 18"), "{broken}");
}
