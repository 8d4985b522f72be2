-- Config drives too large for the rows of their nodes, in parts. A node refers to its drive by
-- `drive_uuid`; `uuid` names the part.

CREATE TABLE config_drive_parts (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    drive_uuid {text:36} NOT NULL,
    node_uuid {text:36} NOT NULL,
    part BIGINT NOT NULL,
    sealed {long} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX config_drive_parts_uuid ON config_drive_parts (uuid);
CREATE UNIQUE INDEX config_drive_parts_part ON config_drive_parts (drive_uuid, part);
CREATE INDEX config_drive_parts_node_uuid ON config_drive_parts (node_uuid);
