use crate::named::named;

named! {
    /// Why an attempt failed. The reasons are coarse on purpose: with finer ones, users could scan ports by webhooks.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum FailureReason: code, from_code {
        /// The egress policy refuses the URL, such as a literal address.
        AddressRefused = "address_refused",
        /// The name has no address that webhooks may reach: it does not exist, its name servers do not answer, or the
        /// egress policy refuses an address. Users cannot tell these apart, or they could look for internal names.
        /// Records of older versions may have [`FailureReason::AddressRefused`] in the last case.
        Dns = "dns",
        /// The connection failed, or broke before the answer was read.
        Connect = "connect",
        /// The TLS handshake failed, or the certificate is not valid for the host.
        Tls = "tls",
        /// The deadline passed before an answer began.
        Timeout = "timeout",
        /// The answer is a redirect, which is never followed.
        Redirect = "redirect",
        /// The answer has a status other than 2xx.
        Status = "status",
        /// The answer began in time, but the deadline passed before enough of it was read.
        TooSlow = "too_slow",
        /// The token endpoint gave no access token, so the receiver got no request.
        NoToken = "no_token",
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
