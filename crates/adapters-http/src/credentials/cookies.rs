use actix_web::http::header::{self, HeaderMap};

use crate::credentials::presented::{Presented, of_text};

/// A cookie that this service sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceCookie {
    name: &'static str,
    is_secure: bool,
    same_site: &'static str,
}

/// The cookies of browsers that sign in.
///
/// Behind `https` they have the prefix `__Host-`, with which a browser accepts neither a cookie that another host of the
/// domain set, nor one from an insecure page. Browsers refuse `Secure` from a plain `http` origin, so in development the
/// cookies have neither.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cookies {
    /// Holds the secret of a session. Browsers send it only with requests that pages of this service make.
    pub(crate) session: ServiceCookie,
    /// Holds a sign-in that has begun. Browsers must send it when the provider leads back to this service.
    pub(crate) sign_in: ServiceCookie,
}

impl Cookies {
    pub(crate) fn new(is_secure: bool) -> Self {
        let cookie = |secure, plain, same_site| {
            let name = if is_secure { secure } else { plain };
            ServiceCookie { name, is_secure, same_site }
        };
        Self {
            session: cookie("__Host-gatepost-session", "gatepost-session", "Strict"),
            sign_in: cookie("__Host-gatepost-sign-in", "gatepost-sign-in", "Lax"),
        }
    }
}

impl ServiceCookie {
    /// The value that the browser sent. Several values must be equal.
    pub(crate) fn read(self, headers: &HeaderMap) -> Presented<&str> {
        let lines = headers.get_all(header::COOKIE).map(|line| line.to_str().unwrap_or_default());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let values = pairs.filter(|(name, _)| *name == self.name).map(|(_, value)| of_text(value));
        values.fold(Presented::Nothing, Presented::and)
    }

    /// The header that sets the cookie for so many seconds.
    pub(crate) fn set(self, value: &str, seconds: u64) -> (header::HeaderName, String) {
        let Self { name, is_secure, same_site } = self;
        let secure = if is_secure { "; Secure" } else { "" };
        let line = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}");
        (header::SET_COOKIE, line)
    }

    /// The header that deletes the cookie.
    pub(crate) fn clear(self) -> (header::HeaderName, String) {
        self.set("", 0)
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn read(lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::COOKIE, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        format!("{:?}", Cookies::new(true).session.read(&headers))
    }

    #[test]
    fn finds_its_value_among_others() {
        assert_eq!(read(&[]), "Nothing");
        assert_eq!(read(&["a=b; c"]), "Nothing");
        for one in ["__Host-gatepost-session=x", "a=b; __Host-gatepost-session=x;c=d", "a; __Host-gatepost-session=x"] {
            assert_eq!(read(&[one]), r#"One("x")"#, "{one}");
        }
        assert_eq!(read(&["a=b", "__Host-gatepost-session=x"]), r#"One("x")"#);
        assert_eq!(read(&["__Host-gatepost-session=a=b"]), r#"One("a=b")"#);
        for other in ["gatepost-session=x", "__host-gatepost-session=x", "x__Host-gatepost-session=x"] {
            assert_eq!(read(&[other]), "Nothing", "{other}");
        }
        for unusable in ["__Host-gatepost-session=", "__Host-gatepost-session=x; __Host-gatepost-session=y"] {
            assert!(read(&[unusable]).starts_with("Unusable"), "{unusable}");
        }
    }

    #[test]
    fn is_for_this_host_and_not_for_scripts() {
        let (_, line) = Cookies::new(true).session.set("x", 60);
        assert_eq!(line, "__Host-gatepost-session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure");
        let (_, line) = Cookies::new(true).sign_in.clear();
        assert_eq!(line, "__Host-gatepost-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
        let (_, line) = Cookies::new(false).session.set("x", 60);
        assert_eq!(line, "gatepost-session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
    }
}
