//! The needs of commands: the client its URL, `serve` its provider and its key.

use tempfile::TempDir;

use crate::{ConfigFile, KEY, loaded};

#[test]
fn a_client_without_a_url_calls_the_listener_of_the_configuration() {
    for (listen, url) in
        [("0.0.0.0:1", "http://127.0.0.1:1"), ("[::]:1", "http://[::1]:1"), ("127.0.0.2:1", "http://127.0.0.2:1")]
    {
        let output = ConfigFile::new("").run(&["token", "--user", "alice"], &[("LISTEN", listen)]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(&format!("nothing answers at {url};")), "{complaint}");
    }
}

#[test]
fn every_variable_of_the_client_that_is_wrong_is_named_and_no_secret_is_shown() {
    let environment = [
        ("GATEPOST_URL", "https://user:swordfish@keys.example"),
        ("GATEPOST_ID_TOKEN", "sword fish"),
        ("GATEPOST_API_KEY", "svc_live_swordfish\n\n"),
        ("GATEPOST_WEBHOOK_SECRET", "whsec_swordfish"),
        ("GATEPOST_OPERATOR_TOKEN_FILE", "/does/not/exist"),
    ];
    let text = loaded(&ConfigFile::new("").run(&["keys", "list"], &environment)).unwrap_err();
    for (name, _) in environment {
        assert!(text.contains(name), "{text}");
    }
    assert!(text.contains(r#"GATEPOST_URL is "https://user:***@keys.example""#), "{text}");
    assert!(!text.contains("swordfish") && !text.contains("sword fish"), "{text}");
}

#[test]
fn tls_without_certificate_authorities_fails_and_says_how_to_choose() {
    let (empty, file) = (TempDir::new().unwrap(), ConfigFile::new(""));
    let nowhere = empty.path().join("none.pem");
    let serve = |url: &str| {
        let environment = [
            ("DATABASE_URL", url),
            ("OIDC_ISSUER", "https://id.example"),
            ("OIDC_AUDIENCE", "a"),
            ("ENCRYPTION_KEY", KEY),
            ("SSL_CERT_FILE", nowhere.to_str().unwrap()),
            ("SSL_CERT_DIR", empty.path().to_str().unwrap()),
        ];
        loaded(&file.run(&["serve"], &environment)).unwrap_err()
    };
    for url in ["postgres://u@127.0.0.1:1/d", "postgres://u@127.0.0.1:1/d?sslmode=require"] {
        let text = serve(url);
        assert!(text.contains("sslmode=disable") && text.contains("SSL_CERT_FILE"), "{text}");
    }
}

#[test]
fn what_a_command_needs_is_reported_with_the_rest_but_not_twice() {
    let environment = [("OIDC_ISSUER", "http://id.example"), ("LISTEN", "x")];
    let text = loaded(&ConfigFile::new("").run(&["serve"], &environment)).unwrap_err();
    assert!(text.contains("OIDC_ISSUER is \"http://id.example\"") && text.contains("LISTEN is"), "{text}");
    assert!(text.contains("OIDC_AUDIENCE is missing") && text.contains("ENCRYPTION_KEY is missing"), "{text}");
    assert_eq!(text.lines().count(), 5, "{text}");
}
