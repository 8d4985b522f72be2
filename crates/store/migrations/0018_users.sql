-- People without Keystone: users, groups, which roles they have where, their tokens, and a log of
-- what was changed about any of them.

CREATE TABLE local_users (
    id {pk},
    name {text:64} NOT NULL,
    description {text:255},
    enabled {bool} NOT NULL,
    password {text:100},
    password_changed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX local_users_name ON local_users (name);

CREATE TABLE local_groups (
    id {pk},
    name {text:64} NOT NULL,
    description {text:255},
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX local_groups_name ON local_groups (name);

CREATE TABLE local_members (
    id {pk},
    group_name {text:64} NOT NULL,
    user_name {text:64} NOT NULL
);
CREATE UNIQUE INDEX local_members_user ON local_members (user_name, group_name);
CREATE INDEX local_members_group ON local_members (group_name);

CREATE TABLE local_roles (
    id {pk},
    holder {text:80} NOT NULL,
    place {text:255} NOT NULL,
    role_name {text:64} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX local_roles_holder ON local_roles (holder, place, role_name);

CREATE TABLE local_tokens (
    id {pk},
    uuid {text:36} NOT NULL,
    user_name {text:64} NOT NULL,
    name {text:64} NOT NULL,
    secret_hash {text:64} NOT NULL,
    place {text:255},
    role_name {text:64},
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT
);
CREATE UNIQUE INDEX local_tokens_uuid ON local_tokens (uuid);
CREATE UNIQUE INDEX local_tokens_secret ON local_tokens (secret_hash);
CREATE UNIQUE INDEX local_tokens_name ON local_tokens (user_name, name);

CREATE TABLE local_changes (
    id {pk},
    kind {text:32} NOT NULL,
    subject {text:80} NOT NULL,
    description {text:500} NOT NULL,
    actor {text:255},
    request_id {text:64},
    created_at BIGINT NOT NULL
);
CREATE INDEX local_changes_subject ON local_changes (subject);
