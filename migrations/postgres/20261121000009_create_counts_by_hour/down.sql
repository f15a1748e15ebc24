DROP TABLE deliveries_by_hour;
DROP TABLE usage_by_hour;
