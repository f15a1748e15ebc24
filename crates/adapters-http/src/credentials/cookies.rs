use actix_web::http::header::{self, HeaderMap};

use crate::credentials::presented::{Presented, of_text};

/// The cookie of a visitor's session, if the portal may be in a frame of another site.
pub const PORTAL_COOKIE: &str = "__Host-gatepost-portal";

/// A header that sets a cookie.
pub(crate) type CookieHeader = (header::HeaderName, String);

/// A cookie that this service sets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceCookie {
    name: &'static str,
    is_secure: bool,
    same_site: &'static str,
    /// Whether the browser keeps it apart for each site at the top.
    is_partitioned: bool,
}

/// The cookies of browsers that sign in.
///
/// Behind `https` they have the prefix `__Host-`, with which a browser accepts neither a cookie that another host of the
/// domain set, nor one from an insecure page. Browsers refuse `Secure` from a plain `http` origin, so in development the
/// cookies have neither.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cookies {
    /// Holds the secret of a session. Browsers send it only with requests that pages of this service make.
    session: ServiceCookie,
    /// Holds the secret of a visitor's session, if the portal may be in a frame of another site.
    portal: Option<ServiceCookie>,
    /// Holds a sign-in that has begun. Browsers must send it when the provider leads back to this service.
    pub(crate) sign_in: ServiceCookie,
}

impl Cookies {
    /// With `is_framed`, the sessions of visitors have a cookie that works in frames of other sites. See decision 79.
    pub(crate) fn new(is_secure: bool, is_framed: bool) -> Self {
        let cookie = |secure, plain, same_site| {
            let name = if is_secure { secure } else { plain };
            ServiceCookie { name, is_secure, same_site, is_partitioned: false }
        };
        // Browsers accept `Secure` over http only from this machine, and `SameSite=None` only with `Secure`.
        let portal = ServiceCookie { name: PORTAL_COOKIE, is_secure: true, same_site: "None", is_partitioned: true };
        Self {
            portal: is_framed.then_some(portal),
            session: cookie("__Host-gatepost-session", "gatepost-session", "Strict"),
            sign_in: cookie("__Host-gatepost-sign-in", "gatepost-sign-in", "Lax"),
        }
    }

    /// The secret of the session that the browser sent. A signed-in user's session comes before a visitor's.
    pub(crate) fn read_session<'a>(&self, headers: &'a HeaderMap) -> Presented<&'a str> {
        match (self.session.read(headers), self.portal) {
            (Presented::Nothing, Some(portal)) => portal.read(headers),
            (session, _) => session,
        }
    }

    /// The headers that keep the session of a user who signs in, and end a visit.
    pub(crate) fn keep_session(&self, secret: &str, seconds: u64) -> Vec<CookieHeader> {
        let portal = self.portal.map(ServiceCookie::clear);
        [self.session.set(secret, seconds)].into_iter().chain(portal).collect()
    }

    /// The headers that keep the session of a visitor, and end any other one.
    pub(crate) fn keep_visit(&self, secret: &str, seconds: u64) -> Vec<CookieHeader> {
        match self.portal {
            None => vec![self.session.set(secret, seconds)],
            Some(portal) => vec![portal.set(secret, seconds), self.session.clear()],
        }
    }

    /// The headers that delete the cookies of sessions.
    pub(crate) fn clear_sessions(&self) -> Vec<CookieHeader> {
        [self.session.clear()].into_iter().chain(self.portal.map(ServiceCookie::clear)).collect()
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

    /// The header that sets the cookie for this number of seconds.
    pub(crate) fn set(self, value: &str, seconds: u64) -> CookieHeader {
        let Self { name, is_secure, same_site, is_partitioned } = self;
        let secure = if is_secure { "; Secure" } else { "" };
        let partitioned = if is_partitioned { "; Partitioned" } else { "" };
        let line =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}{partitioned}");
        (header::SET_COOKIE, line)
    }

    /// The header that deletes the cookie.
    pub(crate) fn clear(self) -> CookieHeader {
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
        format!("{:?}", Cookies::new(true, false).session.read(&headers))
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
        let (_, line) = Cookies::new(true, false).session.set("x", 60);
        assert_eq!(line, "__Host-gatepost-session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure");
        let (_, line) = Cookies::new(true, false).sign_in.clear();
        assert_eq!(line, "__Host-gatepost-sign-in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
        let (_, line) = Cookies::new(false, false).session.set("x", 60);
        assert_eq!(line, "gatepost-session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
    }

    #[test]
    fn a_visit_in_a_frame_has_a_cookie_of_its_own() {
        let lines = |headers: Vec<CookieHeader>| headers.into_iter().map(|(_, line)| line).collect::<Vec<_>>();
        let (plain, framed) = (Cookies::new(true, false), Cookies::new(true, true));
        let strict = "__Host-gatepost-session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(lines(plain.keep_visit("x", 60)), [strict]);
        let visit = lines(framed.keep_visit("x", 60));
        let portal = "__Host-gatepost-portal=x; Path=/; Max-Age=60; HttpOnly; SameSite=None; Secure; Partitioned";
        assert_eq!(visit[0], portal);
        assert!(visit[1].starts_with("__Host-gatepost-session=; Path=/; Max-Age=0;"), "{visit:?}");
        assert_eq!(lines(framed.keep_session("x", 60))[0], strict, "a sign-in is never for frames");
        assert_eq!((lines(framed.clear_sessions()).len(), lines(plain.clear_sessions()).len()), (2, 1));
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, HeaderValue::from_static("__Host-gatepost-portal=visit"));
        assert_eq!(format!("{:?}", framed.read_session(&headers)), r#"One("visit")"#);
        assert_eq!(format!("{:?}", plain.read_session(&headers)), "Nothing");
        headers.append(header::COOKIE, HeaderValue::from_static("__Host-gatepost-session=own"));
        assert_eq!(format!("{:?}", framed.read_session(&headers)), r#"One("own")"#);
    }
}
