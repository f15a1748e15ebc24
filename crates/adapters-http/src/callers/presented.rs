/// What a caller presented as its one credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presented<T> {
    /// None.
    Nothing,
    /// One, in one place or, equal, in several.
    One(T),
    /// Something that can be no credential here, or several that differ.
    Unusable(&'static str),
}

impl<T: PartialEq> Presented<T> {
    /// Adds what stands in another place: it must be equal to what is there already.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unusable(reason), _) | (_, Self::Unusable(reason)) => Self::Unusable(reason),
            (Self::Nothing, only) | (only, Self::Nothing) => only,
            (Self::One(first), Self::One(second)) if first == second => Self::One(first),
            (Self::One(_), Self::One(_)) => Self::Unusable("several credentials that differ"),
        }
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Presented<U> {
        match self {
            Self::Nothing => Presented::Nothing,
            Self::One(value) => Presented::One(change(value)),
            Self::Unusable(reason) => Presented::Unusable(reason),
        }
    }
}

/// A credential in a place that was filled, but with nothing, is one that cannot be valid.
pub(crate) fn of_text(text: &str) -> Presented<&str> {
    if text.is_empty() { Presented::Unusable("an empty credential") } else { Presented::One(text) }
}
