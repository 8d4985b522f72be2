-- Notifications that a message bus has yet to get: written with the change that they tell of, and
-- removed once the bus has them.
CREATE TABLE notifications (
    id {pk},
    level {text:16} NOT NULL,
    body {long} NOT NULL,
    created_at BIGINT NOT NULL
);

-- Who sends them. The beat is counted up by the process that does; one that stands still is dead.
CREATE TABLE senders (
    name {text:64} NOT NULL PRIMARY KEY,
    host {text:255},
    token {text:36},
    beat BIGINT NOT NULL
);
INSERT INTO senders (name, beat) VALUES ('notifications', 0);
