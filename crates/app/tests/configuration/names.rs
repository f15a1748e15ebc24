//! Unknown and misspelt names, and reports of all problems at once.

use crate::{problems, with};

#[test]
fn a_misspelt_variable_is_reported_without_its_value() {
    for (name, nearest) in [
        ("DATABSE_URL", "DATABASE_URL"),
        ("OIDC_AUDIENCES", "OIDC_AUDIENCE"),
        ("ENCRYPTION_KEYS", "ENCRYPTION_KEY"),
        ("OPERATOR_TOKEN_FIEL", "OPERATOR_TOKEN_FILE"),
        ("LISTNE", "LISTEN"),
        ("GATEPOST_LISTEN", "LISTEN"),
        ("GATEPOST_OPERATER_TOKEN", "OPERATOR_TOKEN"),
        ("GATEPOST_IDTOKEN", "GATEPOST_ID_TOKEN"),
        ("WEBHOOK_TIMEOUT", "WEBHOOK_TIMEOUT_SECONDS"),
    ] {
        let warning = with("", [(name, "postgres://u:hunter2@h/d")]).unwrap().complaint;
        let expected = format!("unknown variable {name} in the environment; did you mean {nearest}?");
        assert!(warning.contains(&expected) && !warning.contains("hunter2"), "{warning}");
    }
    assert!(with("", [("GATEPOST_BIN", "x")]).unwrap().complaint.contains("unknown variable GATEPOST_BIN"));
    for other in [
        "LOGNAME",
        "LOGS",
        "LISTEN_FDS",
        "LISTEN_PID",
        "ENCRYPTION",
        "API_KEY",
        "HOSTNAME",
        "OIDC_SCOPES",
        "GATEPOST_URL",
        "GATEPOST_PROFILE",
        "SSL_CERT_FILE",
    ] {
        assert_eq!(with("", [(other, "1")]).unwrap().complaint, "", "{other}");
    }
}

#[test]
fn an_unknown_name_in_the_file_gets_a_suggestion() {
    for (file, hint) in [
        ("databse_url = 'x'", "databse_url"),
        ("databse_url = 'x'", "did you mean database_url?"),
        ("LISTEN = 'x'", "did you mean listen?"),
        ("oidc_audiences = ['x']", "did you mean oidc_audience?"),
        ("encryption_key_fil = 'x'", "did you mean encryption_key_file?"),
        ("zzz = 1", "`gatepost config` lists them"),
        ("[xyz]\nlisten = 'x'", "the file has no tables"),
    ] {
        let text = problems(file, []);
        assert!(text.contains("unknown setting") && text.contains(hint), "{text}");
    }
}

#[test]
fn everything_wrong_is_reported_at_once() {
    let file = "api_key_prefix = 'a b'\napi_key_prefix_length = 99\napi_keys_retention_days = 0\nnonsense = 1";
    let text = problems(file, [("LISTEN", "x"), ("API_KEYS_MAX_ACTIVE", "0"), ("OPERATOR_TOKEN", "short")]);
    for name in ["API_KEY_PREFIX ", "API_KEYS_RETENTION_DAYS", "nonsense", "LISTEN", "API_KEYS_MAX_ACTIVE", "OPERATOR"]
    {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert_eq!(text.lines().count(), 7, "{text}");
}
