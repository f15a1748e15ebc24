/// The change of a field that has a default, in the way of a merge patch (RFC 7396).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patch<Value> {
    /// The field stays.
    #[default]
    Keep,
    /// The field has its default again.
    Reset,
    /// The field gets this value.
    Set(Value),
}

impl<Value> Patch<Value> {
    /// The new value, if the change sets one.
    pub fn set(&self) -> Option<&Value> {
        if let Self::Set(value) = self { Some(value) } else { None }
    }

    /// The same change with another form of the new value.
    pub(crate) fn map<Other>(self, of: impl FnOnce(Value) -> Other) -> Patch<Other> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Reset => Patch::Reset,
            Self::Set(value) => Patch::Set(of(value)),
        }
    }
}

impl<Value: Clone> Patch<Value> {
    /// The value after the change; `None` is the default.
    pub(crate) fn apply_to(&self, before: Option<&Value>) -> Option<Value> {
        match self {
            Self::Keep => before.cloned(),
            Self::Reset => None,
            Self::Set(value) => Some(value.clone()),
        }
    }
}
