DROP INDEX webhook_due_order;
