use actix_web::HttpResponse;
use actix_web::http::header;
use pages::escape;

use crate::credentials::cookies::CookieHeader;

/// A page that leads to this URL without a click or a script, and sets these cookies.
pub(crate) fn lead_to(title: &str, url: &str, cookies: impl IntoIterator<Item = CookieHeader>) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    for cookie in cookies {
        response.append_header(cookie);
    }
    response.insert_header((header::CONTENT_TYPE, pages::MEDIA_TYPE)).body(leading_page(title, url))
}

fn leading_page(title: &str, url: &str) -> String {
    let url = escape(url);
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"0;url={url}\">");
    pages::page(title, &refresh, &format!("<p><a href=\"{url}\">Continue</a></p>"))
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
