-- Since when an owner is being erased (decision 139). The index has only these owners.
ALTER TABLE owners ADD COLUMN erasing_since INTEGER;
CREATE INDEX owners_erasing ON owners (erasing_since) WHERE erasing_since IS NOT NULL;
