//! Packs the page of the API, adapted and compressed, for the binary.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use pages::Unpacked;
use utoipa_swagger_ui::Config;

/// The HTML file of the page.
const PAGE: &str = "index.html";
/// The files of the page, with their media types.
const FILES: [(&str, &str); 8] = [
    (PAGE, "text/html; charset=utf-8"),
    ("index.css", "text/css; charset=utf-8"),
    ("swagger-ui.css", "text/css; charset=utf-8"),
    ("swagger-initializer.js", "text/javascript; charset=utf-8"),
    ("swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
    ("swagger-ui-standalone-preset.js", "text/javascript; charset=utf-8"),
    ("favicon-16x16.png", "image/png"),
    ("favicon-32x32.png", "image/png"),
];

/// Hides the bar that loads other documents, and makes the contrast of texts at least 4.5 to 1 (WCAG 2.1, AA).
const STYLE: &str = "
    .swagger-ui .topbar { display: none }
    .swagger-ui .info .title small { background: #4b5563 }
    .swagger-ui .info .title small.version-stamp { background: #3f6212 }
    .swagger-ui .info a, .swagger-ui .info .base-url, .swagger-ui .info .url { color: #1d4ed8 }
    .dark-mode .swagger-ui .info :is(a, .base-url, .url) { color: #93bdf6 }
    .swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: #166534; border-color: #166534 }
    .dark-mode .swagger-ui .btn.authorize, .dark-mode .swagger-ui .btn.authorize span { color: #6fd9b1; border-color: #6fd9b1 }
    .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1d4ed8 }
    .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #166534 }
    .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b91c1c }
    .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #92400e }
    .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #115e59 }
    .swagger-ui .json-schema-2020-12-expand-deep-button { color: #4b5563 }
";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // No validator, because it would send the address of the document to a service on the internet. No deep links, because
    // they are links within buttons, which screen readers cannot reach. No list of schemas: its heading skips a level, and
    // each operation shows its own.
    let config = Config::from("/openapi.json")
        .validator_url("none")
        .deep_linking(false)
        .default_models_expand_depth(-1)
        .try_it_out_enabled(true);
    let config = Arc::new(config);
    let files: Result<Vec<Unpacked>> =
        FILES.iter().map(|(name, content_type)| unpacked(name, content_type, &config)).collect();
    Ok(pages::pack(&files?, &out_dir()?)?)
}

fn unpacked(name: &str, content_type: &'static str, config: &Arc<Config<'static>>) -> Result<Unpacked> {
    let found = utoipa_swagger_ui::serve(name, Arc::clone(config)).map_err(|error| anyhow!("{name}: {error}"))?;
    let content = found.with_context(|| format!("{name} is missing"))?.bytes.into_owned();
    let content = if name == PAGE { adapted(&String::from_utf8(content)?).into_bytes() } else { content };
    Ok(Unpacked { path: name.to_owned(), content_type, content })
}

/// Adds a base URL, because the page refers to its files by relative names, and `/docs` has no trailing slash. Adds
/// [`STYLE`] and the width of phones, and names the main part of the page for screen readers.
fn adapted(page: &str) -> String {
    let head = r#"<head><base href="/docs/"><meta name="viewport" content="width=device-width, initial-scale=1">"#;
    let page = page.replacen("<head>", head, 1).replacen("Swagger UI", "Gatepost API", 1);
    let page = page.replacen("</head>", &format!("<style>{STYLE}</style></head>"), 1);
    page.replacen(r#"<div id="swagger-ui"></div>"#, r#"<main id="swagger-ui"></main>"#, 1)
}

#[expect(clippy::disallowed_methods, reason = "cargo passes the folder only so")]
fn out_dir() -> Result<PathBuf> {
    std::env::var_os("OUT_DIR").map(PathBuf::from).context("cargo sets OUT_DIR")
}
