-- The organizations that the user belonged to at the sign-in: JSON with a list of capabilities for each id, or null if
-- the claims could not be read. NULL for a user in no organization, and for visitors (decision 129).
ALTER TABLE sessions ADD COLUMN memberships TEXT;
