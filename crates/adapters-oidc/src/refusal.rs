/// Why a token is refused: for the log, so it holds nothing of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) &'static str);
