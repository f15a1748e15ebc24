ALTER TABLE sessions DROP COLUMN memberships;
