/// What is wrong with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    // What goes in
    LosesMilliseconds,
    ForgetsExpiry,
    CutsLabelsAt64,
    // Owners
    IgnoresIssuers,
    IgnoresCase,
    TrimsSubjects,
    JoinsIssuerAndSubject,
    // The limit
    ForgetsTheLimit,
    StoresWhatItRefuses,
    CountsOneTooFew,
    CountsExpiredAtTheInstant,
    CountsRevoked,
    CountsRevokedAhead,
    CountsEverybody,
    CountsThenInserts,
    FailsInRaces,
    IsFullInRaces,
    ListsAfterCommit,
    AnswersWithTheListBefore,
    // Duplicates
    OverwritesStoredIds,
    OverwritesStoredDigests,
    ChecksDuplicatesThenInserts,
    // Lists
    ListsEverybody,
    ListsOldestFirst,
    BreaksTiesBackwards,
    ListsEndedMaxInAll,
    ListsAllEnded,
    PicksEndedByCreation,
    EndsByRevocationBeforeExpiry,
    // Revocation
    OverwritesRevocations,
    ChecksThenRevokes,
    RevokesAllOfTheOwner,
    RevokesOnlyUnexpired,
    RevocationIsAUse,
    UnknownIsNotOwned,
    RevokesAnybodys,
    HidesOthersKeys,
    // Look-up
    HidesRevoked,
    ComparesHalfTheDigest,
    // Uses
    UsesMoveBack,
    LastInBatchCounts,
    FailsOnUnknownUses,
    UsesSkipRevoked,
    UsesRevive,
    RefusesLargeBatches,
    TakesAThousandUses,
    WritesWholeRows,
    // Purge
    PurgesTheBoundary,
    PurgesOnlyRevoked,
    PurgesByCreation,
    PurgesOnlyOneOwner,
    IgnoresPurgeMax,
    MiscountsPurges,
    KeepsPurgedDigests,
    SelectsThenPurges,
    // Cancellation
    StoresDigestsLater,
    WritesUsesOneByOne,
    PurgesOneByOne,
    LeavesItsLockBehind,
}
