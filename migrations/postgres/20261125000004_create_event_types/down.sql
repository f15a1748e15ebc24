DROP TABLE event_types;
