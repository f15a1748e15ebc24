use std::io;

use domain::webhooks::{AddressRefused, AttemptOutcome, FailureReason, InvalidClientCertificate, OurFault, UrlRefused};

use crate::dns::ResolveError;

/// Why a connection failed. The message and its sources are for the log of the operator; users see only the outcome.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("the target is not allowed")]
    Url(#[from] UrlRefused),
    #[error("the address is not allowed")]
    Address(#[from] AddressRefused),
    #[error("the name has an address that is not allowed")]
    NameRefused(#[source] AddressRefused),
    #[error("the peer is not the address that was dialled")]
    Peer,
    #[error("cannot resolve the name")]
    Name(#[from] ResolveError),
    #[error("all connections are in use")]
    ConnectionLimit,
    #[error("no address of the host accepts a connection")]
    Unreachable(#[source] io::Error),
    #[error("the client certificate is damaged")]
    Certificate(#[from] InvalidClientCertificate),
    #[error("the TLS handshake failed")]
    Tls(#[source] io::Error),
    #[error("the receiver does not begin to speak HTTP")]
    Http(#[source] hyper::Error),
    #[error("the receiver broke off TLS by an alert")]
    Alert(#[source] hyper::Error),
}

impl ConnectError {
    pub(crate) fn outcome(&self) -> AttemptOutcome {
        let failed = |reason| AttemptOutcome::Failed { reason, answer: None };
        match self {
            Self::Url(_) | Self::Address(_) | Self::Peer => failed(FailureReason::AddressRefused),
            Self::NameRefused(_) | Self::Name(ResolveError::NoSuchName | ResolveError::Unanswered(_)) => {
                failed(FailureReason::Dns)
            }
            Self::Name(ResolveError::Unavailable(_)) => AttemptOutcome::NotCharged(OurFault::Resolver),
            Self::ConnectionLimit => AttemptOutcome::NotCharged(OurFault::ConnectionLimit),
            Self::Certificate(_) => AttemptOutcome::NotCharged(OurFault::Request),
            Self::Unreachable(_) | Self::Http(_) => failed(FailureReason::Connect),
            Self::Tls(_) | Self::Alert(_) => failed(FailureReason::Tls),
        }
    }
}
