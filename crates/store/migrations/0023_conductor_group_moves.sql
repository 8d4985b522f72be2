-- Conductor groups that come from an Ironic that goes on with its other groups, and how far each has come.

CREATE TABLE conductor_group_moves (
    id {pk},
    conductor_group {text:255} NOT NULL,
    phase {text:15} NOT NULL,
    started_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX conductor_group_moves_conductor_group ON conductor_group_moves (conductor_group);
