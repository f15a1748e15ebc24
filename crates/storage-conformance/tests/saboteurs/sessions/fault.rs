/// The fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    // Stored values
    LosesMilliseconds,
    ForgetsRoles,
    ForgetsMemberships,
    ForgetsAddresses,
    CutsUserAgents,
    IgnoresIssuers,
    IgnoresCase,
    // Opening
    ForgetsTheMaximum,
    CountsOneTooFew,
    EndsTheLeastSeen,
    EndsTheNewOne,
    CountsEnded,
    CountsIdleAtTheInstant,
    CountsThenOpens,
    NamesWhatItKeeps,
    OverwritesIds,
    OverwritesDigests,
    EndsBeforeItChecks,
    CountsLinks,
    // Lists
    ListsEnded,
    ListsIdleAtTheInstant,
    ListsOldestFirst,
    ListsEverybody,
    ListsLinks,
    // Ends
    EndsAnybodys,
    EndsInName,
    EndsAllOfTheOwner,
    KeepsEndedDigests,
    FindsThenEnds,
    ReadsThenEndsAll,
    EndsAllOfEverybody,
    EndsAllButTheIdle,
    EndsTheKept,
    // Look-up
    HidesEnded,
    ComparesHalfTheDigest,
    FindsManyUnderOneDigest,
    // Uses
    UsesMoveBack,
    LastInBatchCounts,
    FailsOnUnknownUses,
    UsesBringBack,
    UsesProlong,
    WritesWholeRows,
    // Counts
    CountsAllStored,
    CountsOnlyUnexpired,
    CountsGoodAtTheirEnd,
    IgnoresCountMax,
    // Purge
    PurgesTheBoundary,
    PurgesOnlyExpired,
    PurgesOnlyIdle,
    IgnoresPurgeMax,
    SelectsThenPurges,
    // Cancellation
    OpensInTwoSteps,
    EndsOneByOne,
    WritesUsesOneByOne,
}
