-- The migration before keys changes by transaction and digest, and all rows get one transaction.
DELETE FROM credential_changes AS older USING credential_changes AS newer
    WHERE older.digest = newer.digest AND (older.writer, older.number) < (newer.writer, newer.number);
ALTER TABLE credential_changes ADD COLUMN transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id();
