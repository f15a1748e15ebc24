/// The fault of the log, or of the stores that write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No fault.
    None,
    LosesAddresses,
    LosesChanges,
    /// Events with an action that this version does not know are not listed.
    HidesLaterEvents,
    ForgetsTheEventsOfKeys,
    ForgetsTheEventsOfSessions,
    ForgetsTheEventsOfSubscriptions,
    ForgetsTheEventsOfDeliveries,
    /// A revocation without effect writes an event.
    RecordsWhatItRefuses,
    /// A list has an invented event.
    InventsEvents,
    /// An event is written after its change, in another step.
    RecordsInAnotherStep,
    ShowsOtherUsersEvents,
    IgnoresCase,
    ListsOldestFirst,
    /// An event at the end of the interval is shown.
    ShowsEventsAtTheEnd,
    IgnoresTargets,
    ForgetsTheNextPage,
    RepeatsTheLastOfAPage,
    PurgesTheBoundary,
    PurgesEverything,
    IgnoresPurgeMax,
    CountsThenPurges,
    CountsThenRecordsNew,
    RecordsNewTwice,
    /// Watchers see no event.
    ShowsNothing,
    /// Watchers see each event twice.
    ShowsTwice,
    /// Watchers see an event in another step than its change.
    ShowsInAnotherStep,
    AnnouncesEverything,
    /// Events that are older than a listed one are not listed, as by a cursor.
    AnnouncesByTime,
    IgnoresAnnouncedMax,
    MarksNothing,
    MarksEverything,
    ForgetsTheLimit,
    ForgetsTurns,
    ForgetsExpiring,
}
