DROP INDEX api_keys_expiring;
