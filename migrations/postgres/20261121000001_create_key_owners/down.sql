DROP TABLE key_owners;
