-- What ramdisks sent and nobody has processed yet: an accepted inspection outlives a restart.

CREATE TABLE inspection_inbox (
    id {pk},
    uuid {text:36} NOT NULL,
    node_uuid {text:36} NOT NULL,
    inventory {long} NOT NULL,
    plugin_data {long} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX inspection_inbox_uuid ON inspection_inbox (uuid);
CREATE INDEX inspection_inbox_node_uuid ON inspection_inbox (node_uuid);
