-- Everything else that the API knows. Composite unique indexes end in the name of their last
-- column: that is what SQLite names when one is violated.

CREATE TABLE portgroups (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    node_uuid {text:36} NOT NULL,
    address {text:18},
    name {text:255},
    mode {text:255} NOT NULL,
    properties {long} NOT NULL,
    extra {long} NOT NULL,
    internal_info {long} NOT NULL,
    standalone_ports_supported {bool} NOT NULL,
    physical_network {text:64},
    category {text:80},
    dynamic_portgroup {bool} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX portgroups_uuid ON portgroups (uuid);
CREATE UNIQUE INDEX portgroups_address ON portgroups (address);
CREATE UNIQUE INDEX portgroups_name ON portgroups (name);
CREATE INDEX portgroups_node_uuid ON portgroups (node_uuid);
CREATE INDEX ports_portgroup_uuid ON ports (portgroup_uuid);

CREATE TABLE volume_connectors (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    node_uuid {text:36} NOT NULL,
    type {text:32} NOT NULL,
    connector_id {text:255} NOT NULL,
    extra {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX volume_connectors_uuid ON volume_connectors (uuid);
CREATE UNIQUE INDEX volume_connectors_connector_id ON volume_connectors (type, connector_id);
CREATE INDEX volume_connectors_node_uuid ON volume_connectors (node_uuid);

CREATE TABLE volume_targets (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    node_uuid {text:36} NOT NULL,
    volume_type {text:64} NOT NULL,
    properties {long} NOT NULL,
    boot_index BIGINT NOT NULL,
    volume_id {text:36} NOT NULL,
    extra {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX volume_targets_uuid ON volume_targets (uuid);
CREATE UNIQUE INDEX volume_targets_boot_index ON volume_targets (node_uuid, boot_index);

CREATE TABLE allocations (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    name {text:255},
    state {text:15} NOT NULL,
    node_uuid {text:36},
    resource_class {text:80},
    traits {long} NOT NULL,
    candidate_nodes {long} NOT NULL,
    extra {long} NOT NULL,
    last_error {long},
    owner {text:255},
    conductor {text:255},
    conductor_epoch BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX allocations_uuid ON allocations (uuid);
CREATE UNIQUE INDEX allocations_name ON allocations (name);
CREATE UNIQUE INDEX allocations_node_uuid ON allocations (node_uuid);
CREATE INDEX allocations_owner ON allocations (owner);
CREATE INDEX allocations_conductor ON allocations (conductor);

CREATE TABLE deploy_templates (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    name {text:255} NOT NULL,
    steps {long} NOT NULL,
    extra {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX deploy_templates_uuid ON deploy_templates (uuid);
CREATE UNIQUE INDEX deploy_templates_name ON deploy_templates (name);

CREATE TABLE runbooks (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    name {text:255} NOT NULL,
    description {text:255},
    steps {long} NOT NULL,
    traits {long} NOT NULL,
    disable_ramdisk {bool} NOT NULL,
    public {bool} NOT NULL,
    owner {text:255},
    extra {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX runbooks_uuid ON runbooks (uuid);
CREATE UNIQUE INDEX runbooks_name ON runbooks (name);
CREATE INDEX runbooks_owner ON runbooks (owner);

CREATE TABLE inspection_rules (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    description {text:255},
    priority BIGINT NOT NULL,
    phase {text:16} NOT NULL,
    sensitive {bool} NOT NULL,
    conditions {long} NOT NULL,
    actions {long} NOT NULL,
    scope {text:255},
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX inspection_rules_uuid ON inspection_rules (uuid);

-- What machines said about themselves. Texts of theirs have no width, so that none is refused.
CREATE TABLE bios_settings (
    id {pk},
    node_uuid {text:36} NOT NULL,
    name {text:255} NOT NULL,
    value {long},
    attribute_type {long},
    allowable_values {long} NOT NULL,
    lower_bound BIGINT,
    upper_bound BIGINT,
    min_length BIGINT,
    max_length BIGINT,
    read_only {bool},
    reset_required {bool},
    is_unique {bool},
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX bios_settings_name ON bios_settings (node_uuid, name);

CREATE TABLE firmware_components (
    id {pk},
    node_uuid {text:36} NOT NULL,
    component {text:255} NOT NULL,
    initial_version {long},
    current_version {long},
    last_version_flashed {long},
    vendor {long},
    model {long},
    serial_number {long},
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX firmware_components_component ON firmware_components (node_uuid, component);

CREATE TABLE node_inventories (
    id {pk},
    node_uuid {text:36} NOT NULL,
    inventory {long} NOT NULL,
    plugin_data {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX node_inventories_node_uuid ON node_inventories (node_uuid);
