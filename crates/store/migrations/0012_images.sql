-- Images that the service keeps under names of the operator's, and which conductor has the bytes of
-- which of them.

CREATE TABLE images (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    name {text:64} NOT NULL,
    origin {text:2048},
    checksum_origin {text:2048},
    checksum {text:255},
    source {long} NOT NULL,
    state {text:15} NOT NULL,
    content {text:64},
    content_size BIGINT,
    survey {long},
    fetched_at BIGINT,
    holder {text:255},
    holder_epoch BIGINT,
    done_bytes BIGINT NOT NULL,
    total_bytes BIGINT,
    last_error {long},
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX images_uuid ON images (uuid);
CREATE UNIQUE INDEX images_name ON images (name);
CREATE INDEX images_state ON images (state);

CREATE TABLE image_copies (
    id {pk},
    content {text:64} NOT NULL,
    conductor {text:255} NOT NULL,
    url {text:2048},
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX image_copies_conductor ON image_copies (content, conductor);
