use super::signing_secret::SigningSecret;
use crate::ports::Entropy;

/// A secret, given by its owner or generated. Only a generated secret is shown: its owner does not know it yet.
pub(in crate::webhooks) enum ChosenSecret {
    Given(SigningSecret),
    Made(SigningSecret),
}

impl ChosenSecret {
    pub(in crate::webhooks) fn of(given: Option<SigningSecret>, entropy: &dyn Entropy) -> Self {
        given.map_or_else(|| Self::Made(SigningSecret::generate(entropy)), Self::Given)
    }

    pub(in crate::webhooks) fn as_ref(&self) -> &SigningSecret {
        match self {
            Self::Given(secret) | Self::Made(secret) => secret,
        }
    }

    pub(in crate::webhooks) fn into_shown(self) -> Option<SigningSecret> {
        match self {
            Self::Given(_) => None,
            Self::Made(secret) => Some(secret),
        }
    }
}
