-- Nothing to do: SQLite has one writer at a time, so no row needs to be locked before an owner's keys are counted.
SELECT 1;
