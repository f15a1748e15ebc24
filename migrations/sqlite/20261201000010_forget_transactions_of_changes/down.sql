-- A file has one process, which needs no feed of changes.
SELECT 1;
