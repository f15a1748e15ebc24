use std::fmt::Write;

use actix_web::HttpResponse;
use actix_web::http::header;

use crate::credentials::cookies::CookieHeader;

/// The style of every page.
const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;\
    color:#1c1c1c;background:#fff}code{background:#f0f0f0;padding:.1em .3em;border-radius:.2em}\
    th,td{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}\
    @media(prefers-color-scheme:dark){body{color:#eee;background:#161616}code{background:#2a2a2a}a{color:#8ab4ff}}";

/// The media type of a page.
pub(crate) const MEDIA_TYPE: &str = "text/html; charset=utf-8";

/// A page. Neither the title nor the content is escaped.
pub(crate) fn page(title: &str, content: &str) -> String {
    page_with("", title, content)
}

/// The answer of a page that leads to this URL by itself, without a script, and sets these cookies.
pub(crate) fn lead_to(title: &str, url: &str, cookies: impl IntoIterator<Item = CookieHeader>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    for cookie in cookies {
        response.append_header(cookie);
    }
    response.insert_header((header::CONTENT_TYPE, MEDIA_TYPE)).body(leading_page(title, url))
}

fn leading_page(title: &str, url: &str) -> String {
    let url = escape(url);
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"0;url={url}\">");
    page_with(&refresh, title, &format!("<p><a href=\"{url}\">Continue</a></p>"))
}

fn page_with(head: &str, title: &str, content: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} - Gatepost</title>\
         <meta name=\"viewport\" content=\"width=device-width\">{head}<style>{STYLE}</style></head>\
         <body><main><h1>{title}</h1>{content}</main></body></html>\n"
    )
}

/// Escapes a string for text and for quoted attributes.
pub(crate) fn escape(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut escaped, character| {
        match character {
            // Writing to a String cannot fail.
            '&' | '<' | '>' | '"' | '\'' => drop(write!(escaped, "&#{};", u32::from(character))),
            other => escaped.push(other),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_stays_in_its_attribute() {
        let page = leading_page("Signed in", "/console/?a=\"><script>&b='c'");
        assert!(page.contains("content=\"0;url=/console/?a=&#34;&#62;&#60;script&#62;&#38;b=&#39;c&#39;\""), "{page}");
        assert!(!page.contains("<script"), "{page}");
    }
}
