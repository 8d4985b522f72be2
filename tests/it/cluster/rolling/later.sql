-- A migration as the next version might bring it: of every kind that is allowed.

CREATE TABLE later_things (
    id {pk},
    node_uuid {text:36} NOT NULL,
    body {long} NOT NULL
);
CREATE UNIQUE INDEX later_things_node_uuid ON later_things (node_uuid);

ALTER TABLE nodes ADD COLUMN later_note {text:255};
UPDATE nodes SET later_note = owner;
ALTER TABLE nodes ADD COLUMN later_count BIGINT NOT NULL DEFAULT 4;
CREATE INDEX nodes_later_note ON nodes (later_note);

ALTER TABLE ports ADD COLUMN later_flag {bool} NOT NULL DEFAULT FALSE;
ALTER TABLE allocations ADD COLUMN later_note {text:255};
ALTER TABLE conductors ADD COLUMN later_note {text:255};
ALTER TABLE events ADD COLUMN later_note {long};
ALTER TABLE node_history ADD COLUMN later_note {long};
