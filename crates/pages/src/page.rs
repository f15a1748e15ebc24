use std::fmt::Write;

/// The style of every page, with the colours of `web/styles/page.css`.
pub const STYLE: &str = ":root{color-scheme:light dark;--page:#f6f7f6;--ink:#17211d;--quiet:#56625c;--line:#dde3df;\
    --accent:#0b6b4f;--on-accent:#fff;--surface:#fff;--field:#76827c}\
    @media(prefers-color-scheme:dark){:root{--page:#0f1412;--ink:#e6ece9;--quiet:#9daaa4;--line:#2a332f;\
    --accent:#62cfa7;--on-accent:#04231a;--surface:#161c19;--field:#75827c}}\
    body{font:.9375rem/1.5 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:3rem 1rem;\
    color:var(--ink);background:var(--page);overflow-wrap:break-word}\
    .wordmark{margin:0;color:var(--accent);font-weight:680}h1{margin:.25rem 0 1rem;font-size:1.5rem;line-height:1.25}\
    h2{margin:1.5rem 0 .25rem;font-size:1rem}a{color:var(--accent)}\
    code{font-family:ui-monospace,monospace;font-size:.875em;overflow-wrap:anywhere}\
    dl{margin:0}dt{margin-top:.75rem}dd{margin:0;color:var(--quiet)}\
    label{font-weight:550}input,button{font:inherit;box-sizing:border-box;width:100%;max-width:24rem;min-height:2.5rem;\
    padding:.4rem .8rem;border:1px solid var(--field);border-radius:7px;background:var(--surface);color:var(--ink)}\
    button{font-weight:550;cursor:pointer}.primary{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}";

/// The media type of a page.
pub const MEDIA_TYPE: &str = "text/html; charset=utf-8";

/// A page, with additional elements of its head. The arguments must be escaped already.
pub fn page(title: &str, head: &str, content: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} - Gatepost</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">{head}<style>{STYLE}</style></head>\
         <body><main><p class=\"wordmark\">Gatepost</p><h1>{title}</h1>{content}</main></body></html>\n"
    )
}

/// Escapes a string for text and for quoted attributes.
pub fn escape(text: &str) -> String {
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
    fn no_character_of_markup_is_left() {
        assert_eq!(escape("<a href=\"x\">&'b'"), "&#60;a href=&#34;x&#34;&#62;&#38;&#39;b&#39;");
    }
}
