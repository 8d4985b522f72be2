-- Addresses that events are posted to, how far each is, and what could not be delivered.

CREATE TABLE webhooks (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    description {text:255},
    url {long} NOT NULL,
    secret {long} NOT NULL,
    verify_ca {long} NOT NULL,
    kinds {long} NOT NULL,
    node_uuid {text:36},
    project {text:255},
    enabled {bool} NOT NULL,
    disabled_reason {long},
    log_position BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    next_attempt BIGINT,
    last_error {long},
    last_success BIGINT,
    holder {text:255},
    generation BIGINT NOT NULL,
    beat BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX webhooks_uuid ON webhooks (uuid);

CREATE TABLE webhook_dead_letters (
    id {pk},
    webhook_uuid {text:36} NOT NULL,
    log_position BIGINT NOT NULL,
    event_data {long} NOT NULL,
    attempts BIGINT NOT NULL,
    last_error {long} NOT NULL,
    replay {bool} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX webhook_dead_letters_log_position
    ON webhook_dead_letters (webhook_uuid, log_position);
