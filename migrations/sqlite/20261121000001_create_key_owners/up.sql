-- Nothing to do: SQLite has one writer at a time, so nobody has to lock a row before counting an owner's keys.
SELECT 1;
