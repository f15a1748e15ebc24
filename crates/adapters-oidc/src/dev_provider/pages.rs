use std::fmt::Write;

use ::pages::{escape, page};

use super::QUICK_USERS;
use super::authorization::CARRIED_PARAMETERS;
use super::parameters::Parameters;

/// The login page. Hidden fields carry the parameters of the request, so the server keeps no state before a login.
pub(super) fn login_page(parameters: &Parameters, problem: Option<&str>) -> String {
    let carried = hidden_fields(parameters);
    let mut form = String::from("<form method=\"post\" action=\"authorize\">\n");
    form.push_str(&carried);
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
         <p><button type=\"submit\" class=\"primary\">Log in</button></p>\n</form>\n\
         <form method=\"post\" action=\"authorize\" aria-label=\"Users for a quick start\">\n{carried}{}</form>\n\
         <p>This is the development identity provider: it asks for no password. \
         It only answers this machine.</p>",
        QUICK_USERS.map(quick_button).concat(),
    );
    page("Log in", "", &form)
}

/// The parameters of the request, for a form that repeats them.
fn hidden_fields(parameters: &Parameters) -> String {
    let field = |name: &str| {
        let value = escape(parameters.get(name)?);
        Some(format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">\n"))
    };
    CARRIED_PARAMETERS.into_iter().filter_map(field).collect()
}

fn quick_button(name: &str) -> String {
    format!("<p><button name=\"username\" value=\"{name}\">Log in as {name}</button></p>\n")
}

/// The page after a logout that leads nowhere else.
pub(super) fn logged_out_page() -> String {
    page("You are logged out", "", "<p>The development identity provider remembers nobody.</p>")
}

/// The page for a request that cannot be answered by a redirect to the client.
pub(super) fn rejection_page(reason: &str) -> String {
    page(
        "This login cannot go on",
        "",
        &format!("<p role=\"alert\">The application sent a wrong request: {}.</p>", escape(reason)),
    )
}
