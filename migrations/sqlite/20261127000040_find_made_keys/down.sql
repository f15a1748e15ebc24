DROP INDEX api_keys_by_member;
