/// Why an attempt failed. The reasons are coarse on purpose: with finer ones, users could scan ports by webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureReason {
    /// The egress policy refuses the URL, such as a literal address.
    AddressRefused,
    /// The name has no address that webhooks may reach: it does not exist, its name servers do not answer, or the
    /// egress policy refuses an address. Users cannot tell these apart, or they could look for internal names. Records
    /// of older versions may have [`FailureReason::AddressRefused`] in the last case.
    Dns,
    /// The connection failed, or broke before the answer was read.
    Connect,
    /// The TLS handshake failed, or the certificate is not valid for the host.
    Tls,
    /// The deadline passed before an answer began.
    Timeout,
    /// The answer is a redirect, which is never followed.
    Redirect,
    /// The answer has a status other than 2xx.
    Status,
    /// The answer began in time, but the deadline passed before enough of it was read.
    TooSlow,
    /// The token endpoint gave no access token, so the receiver got no request.
    NoToken,
}

impl FailureReason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::AddressRefused,
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::Redirect,
        Self::Status,
        Self::TooSlow,
        Self::NoToken,
    ];

    /// The code that the API and the stores use.
    pub const fn code(self) -> &'static str {
        match self {
            Self::AddressRefused => "address_refused",
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Redirect => "redirect",
            Self::Status => "status",
            Self::TooSlow => "too_slow",
            Self::NoToken => "no_token",
        }
    }

    /// The reason with this code; `None` if there is no such code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.code() == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_read_back() {
        for reason in FailureReason::ALL {
            assert_eq!(FailureReason::from_code(reason.code()), Some(reason));
        }
        assert_eq!(FailureReason::from_code("gremlins"), None);
    }
}
