//! No secret is shown: neither in force, nor refused, nor in a URL.

use crate::{ConfigFile, KEY, SECRET, loaded, problems, with};

#[test]
fn a_refused_secret_is_not_shown() {
    let short = "hunter2";
    for environment in [
        ("OPERATOR_TOKEN", short),
        ("ENCRYPTION_KEY", short),
        ("DATABASE_URL", "mysql://root:hunter2@h/d"),
        ("DATABASE_URL", "host=h password=hunter2"),
        ("OIDC_ISSUER", "https://u:hunter2@id.example.com"),
        ("PUBLIC_URL", "https://u:hunter2@id.example.com"),
        ("CORS_ORIGINS", "https://u:hunter2@id.example.com"),
    ] {
        let text = problems("", [environment]);
        assert!(text.contains("***") && !text.contains("hunter2"), "{text}");
    }
    for file in ["opreator_token = 'hunter2'", "encryption_key = hunter2", "a = 'hunter2\nb"] {
        let text = problems(file, []);
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn a_secret_in_force_is_printed_nowhere() {
    let url = "postgres://gatepost:hunter2@db/gatepost";
    let file = ConfigFile::new("");
    for arguments in [["config"].as_slice(), &["config", "--json"]] {
        let environment = [("DATABASE_URL", url), ("OPERATOR_TOKEN", SECRET), ("ENCRYPTION_KEY", KEY)];
        let output = file.run(arguments, &environment);
        let everything = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(everything.contains("postgres://gatepost:***@db/gatepost"), "{everything}");
        assert!(!everything.contains("hunter2") && !everything.contains(KEY), "{everything}");
    }
}

#[test]
fn a_password_in_a_database_url_never_shows() {
    for (url, shown) in [
        ("postgres://u:hunter2@h/d", "postgres://u:***@h/d"),
        ("postgres://u:hunter2@x/?:y@h/d", "postgres://u:***@h/d"),
        ("postgres://u@h:5432/d?sslmode=require", "postgres://u@h:5432/d?sslmode=require"),
        ("postgres://u@h/d?password=hunter2&sslmode=require", "postgres://u@h/d?password=***&sslmode=require"),
        ("postgres://h/d?hunter2", "postgres://h/d?***"),
        ("sqlite:///data/a.db", "sqlite:///data/a.db"),
    ] {
        assert_eq!(with("", [("DATABASE_URL", url)]).unwrap().value("DATABASE_URL").0.as_deref(), Some(shown));
    }
    for (wrong, shown) in
        [("u:hunter2@h/d", "***"), ("gatepost.db", "gatepost.db"), ("sqlite://:memory:", "sqlite://:memory:")]
    {
        let text = problems("", [("DATABASE_URL", wrong)]);
        assert!(text.contains(&format!("DATABASE_URL is {shown:?}")), "{text}");
    }
}

#[test]
fn a_refused_value_that_is_not_a_secret_is_shown() {
    let text = loaded(&ConfigFile::new("").run(&["keys", "list"], &[("GATEPOST_URL", "keys.example")])).unwrap_err();
    assert!(text.contains(r#"GATEPOST_URL is "keys.example""#), "{text}");
    let url = "postgres://u@h/d?target_session_attrs=read-write&pasword=hunter2";
    let shown = with("", [("DATABASE_URL", url)]).unwrap().value("DATABASE_URL").0.unwrap();
    assert_eq!(shown, "postgres://u@h/d?target_session_attrs=read-write&pasword=***");
}

#[test]
fn operator_tokens_have_a_name_and_scopes() {
    let two = format!("{SECRET},{SECRET}");
    let hint = problems("", [("OPERATOR_TOKEN", &*two)]);
    assert!(hint.contains("without a comma; OPERATOR_TOKENS takes several tokens") && !hint.contains(SECRET), "{hint}");
    for wrong in [
        SECRET.to_owned(),
        format!("checker:{SECRET}"),
        format!(":verify:{SECRET}"),
        format!("Checker:verify:{SECRET}"),
        format!("{}:verify:{SECRET}", "a".repeat(33)),
        format!("checker::{SECRET}"),
        format!("checker:verify+:{SECRET}"),
        format!("checker:root:{SECRET}"),
        "checker:verify:hunter2".to_owned(),
        format!("checker:verify:{SECRET},checker:verify:{SECRET}"),
    ] {
        let text = problems("", [("OPERATOR_TOKENS", &*wrong)]);
        assert!(text.contains("name:scope+scope:token"), "{wrong}: {text}");
        assert!(!text.contains(SECRET) && !text.contains("hunter2"), "{text}");
    }
}
