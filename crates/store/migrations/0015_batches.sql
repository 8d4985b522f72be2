-- Batches: one verb for many nodes in waves, which nodes those are, and how far each of them is.

CREATE TABLE batches (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    description {text:255},
    query_text {long},
    action {text:31} NOT NULL,
    word {text:63} NOT NULL,
    request {long} NOT NULL,
    state {text:15} NOT NULL,
    reason {long},
    node_count BIGINT NOT NULL,
    wave_sizes {long} NOT NULL,
    wave BIGINT NOT NULL,
    at_once BIGINT NOT NULL,
    max_failures BIGINT,
    forgiven BIGINT NOT NULL,
    user_name {text:255},
    project {text:255},
    holder {text:255},
    holder_epoch BIGINT,
    generation BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    ended_at BIGINT
);
CREATE UNIQUE INDEX batches_uuid ON batches (uuid);
CREATE INDEX batches_state ON batches (state);

CREATE TABLE batch_nodes (
    id {pk},
    batch_uuid {text:36} NOT NULL,
    place BIGINT NOT NULL,
    node_uuid {text:36} NOT NULL,
    node_name {text:255},
    wave BIGINT NOT NULL,
    state {text:15} NOT NULL,
    reason {long},
    log_position BIGINT,
    asked_at BIGINT,
    ended_at BIGINT
);
CREATE UNIQUE INDEX batch_nodes_place ON batch_nodes (batch_uuid, place);
CREATE INDEX batch_nodes_state ON batch_nodes (batch_uuid, state, place);
