\set n :n + 1
\set user (:n * :clients + :client_id) % :users
--LIST--;
