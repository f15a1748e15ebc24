use std::fmt::Write;

use super::authorization::CARRIED_PARAMETERS;
use super::parameters::Parameters;

/// The login page. Hidden fields carry the parameters of the request, so the server keeps no state before a login.
pub(super) fn login_page(parameters: &Parameters, problem: Option<&str>) -> String {
    let mut form = String::from("<form method=\"post\" action=\"authorize\">\n");
    for name in CARRIED_PARAMETERS {
        if let Some(value) = parameters.get(name) {
            // Writing to a String cannot fail.
            let _ = writeln!(form, "<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escape(value));
        }
    }
    let (alert, described_by) = match problem {
        None => (String::new(), ""),
        Some(problem) => (
            format!("<p id=\"problem\" role=\"alert\">{}</p>\n", escape(problem)),
            " aria-invalid=\"true\" aria-describedby=\"problem\"",
        ),
    };
    form.push_str(&alert);
    let _ = write!(
        form,
        "<p><label for=\"username\">User name</label></p>\n\
         <p><input id=\"username\" name=\"username\" required maxlength=\"255\" autocomplete=\"username\" \
         autocapitalize=\"none\" spellcheck=\"false\" autofocus{described_by}></p>\n\
         <p><button type=\"submit\">Log in</button></p>\n</form>\n\
         <p>This is the development identity provider: it asks for no password. \
         It only answers this machine.</p>"
    );
    page("Log in", &form)
}

/// The page for a request whose answer cannot be a redirect to the client.
pub(super) fn rejection_page(reason: &str) -> String {
    page(
        "This login cannot go on",
        &format!("<p role=\"alert\">The application sent a wrong request: {}.</p>", escape(reason)),
    )
}

fn page(title: &str, content: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} - Gatepost development</title>\n<style>\n\
         :root {{ color-scheme: light dark; }}\n\
         body {{ font: 1.125rem/1.5 system-ui, sans-serif; max-width: 28rem; margin: 4rem auto; padding: 0 1rem; }}\n\
         input, button {{ font: inherit; padding: .5rem .75rem; box-sizing: border-box; width: 100%; }}\n\
         </style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{content}\n</main>\n</body>\n</html>\n"
    )
}

/// Escapes a string for text and for quoted attributes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
