-- Nothing to do: SQLite has one instance, which makes all changes itself (decision 41).
SELECT 1;
