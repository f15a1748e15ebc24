-- Nothing to do: SQLite serves one instance, which makes all changes itself.
SELECT 1;
