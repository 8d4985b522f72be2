-- What the rights of a batch depend on: who made it with which roles, and whose each node was then.
-- And the error of a node, apart from the reason why it failed, because fewer may read it.

ALTER TABLE batches ADD COLUMN maker {long};
ALTER TABLE batch_nodes ADD COLUMN owners {long};
ALTER TABLE batch_nodes ADD COLUMN last_error {long};
