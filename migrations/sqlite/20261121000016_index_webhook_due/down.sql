DROP INDEX webhook_due_claims;
DROP INDEX webhook_due_order;
