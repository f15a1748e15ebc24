-- Which events a subscription receives by their content, as JSON (decision 133). Publications read it, so it is a column for
-- itself: claims read what attempts need.
ALTER TABLE webhook_subscriptions ADD COLUMN filter TEXT;
