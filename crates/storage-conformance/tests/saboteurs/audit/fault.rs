/// What is wrong with the log, or with the stores that write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    LosesAddresses,
    LosesChanges,
    /// Events with an action that this version does not know are not listed.
    HidesLaterEvents,
    ForgetsTheEventsOfKeys,
    ForgetsTheEventsOfSessions,
    ForgetsTheEventsOfSubscriptions,
    ForgetsTheEventsOfDeliveries,
    /// A revocation that changes nothing writes an event.
    RecordsWhatItRefuses,
    /// A list has an event that nobody has written.
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
    /// Watchers see nothing.
    ShowsNothing,
    /// Watchers see each event twice.
    ShowsTwice,
    /// Watchers see an event in another step than its change.
    ShowsInAnotherStep,
    AnnouncesEverything,
    /// What is older than an event that was listed is not listed, as by a cursor.
    AnnouncesByTime,
    IgnoresAnnouncedMax,
    MarksNothing,
    MarksEverything,
    ForgetsTheLimit,
    ForgetsTurns,
    ForgetsExpiring,
}
