-- The first schema. {pk}, {text:N}, {long} and {bool} stand for each engine's own words; see
-- migrate.rs. Only what SQLite, PostgreSQL 13+ and MariaDB 10.11 have in common is used here.

CREATE TABLE nodes (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT,
    name {text:255},
    driver {text:255} NOT NULL,
    driver_info {long} NOT NULL,
    driver_internal_info {long} NOT NULL,
    properties {long} NOT NULL,
    extra {long} NOT NULL,
    instance_info {long} NOT NULL,
    instance_uuid {text:36},
    instance_name {text:255},
    chassis_uuid {text:36},
    conductor_group {text:255} NOT NULL,
    resource_class {text:80},
    owner {text:255},
    lessee {text:255},
    shard {text:255},
    parent_node {text:36},
    description {long},
    power_state {text:15},
    target_power_state {text:15},
    provision_state {text:15} NOT NULL,
    target_provision_state {text:15},
    provision_updated_at BIGINT,
    maintenance {bool} NOT NULL,
    maintenance_reason {long},
    fault {text:255},
    last_error {long},
    reservation {text:255},
    lease_epoch BIGINT NOT NULL,
    lease_generation BIGINT NOT NULL,
    work {long},
    console_enabled {bool} NOT NULL,
    automated_clean {bool},
    protected {bool} NOT NULL,
    protected_reason {long},
    retired {bool} NOT NULL,
    retired_reason {long},
    disable_power_off {bool} NOT NULL,
    network_data {long} NOT NULL,
    boot_mode {text:16},
    secure_boot {bool},
    bios_interface {text:255} NOT NULL,
    boot_interface {text:255} NOT NULL,
    console_interface {text:255} NOT NULL,
    deploy_interface {text:255} NOT NULL,
    firmware_interface {text:255} NOT NULL,
    inspect_interface {text:255} NOT NULL,
    management_interface {text:255} NOT NULL,
    network_interface {text:255} NOT NULL,
    power_interface {text:255} NOT NULL,
    raid_interface {text:255} NOT NULL,
    rescue_interface {text:255} NOT NULL,
    storage_interface {text:255} NOT NULL,
    vendor_interface {text:255} NOT NULL,
    clean_step {long} NOT NULL,
    deploy_step {long} NOT NULL,
    service_step {long} NOT NULL,
    raid_config {long} NOT NULL,
    target_raid_config {long} NOT NULL,
    inspection_started_at BIGINT,
    inspection_finished_at BIGINT,
    traits {long} NOT NULL,
    allocation_uuid {text:36},
    health {text:32}
);
CREATE UNIQUE INDEX nodes_uuid ON nodes (uuid);
CREATE UNIQUE INDEX nodes_name ON nodes (name);
CREATE UNIQUE INDEX nodes_instance_uuid ON nodes (instance_uuid);
CREATE INDEX nodes_provision_state ON nodes (provision_state);
CREATE INDEX nodes_reservation ON nodes (reservation);
CREATE INDEX nodes_chassis_uuid ON nodes (chassis_uuid);
CREATE INDEX nodes_parent_node ON nodes (parent_node);
CREATE INDEX nodes_owner ON nodes (owner);
CREATE INDEX nodes_lessee ON nodes (lessee);

CREATE TABLE ports (
    id {pk},
    uuid {text:36} NOT NULL,
    version BIGINT NOT NULL,
    node_uuid {text:36} NOT NULL,
    address {text:18} NOT NULL,
    name {text:255},
    description {text:255},
    extra {long} NOT NULL,
    internal_info {long} NOT NULL,
    local_link_connection {long} NOT NULL,
    pxe_enabled {bool} NOT NULL,
    portgroup_uuid {text:36},
    physical_network {text:64},
    is_smartnic {bool} NOT NULL,
    vendor {text:32},
    category {text:80},
    available_for_dynamic_portgroup {bool} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX ports_uuid ON ports (uuid);
CREATE UNIQUE INDEX ports_address ON ports (address);
CREATE UNIQUE INDEX ports_name ON ports (name);
CREATE INDEX ports_node_uuid ON ports (node_uuid);

CREATE TABLE chassis (
    id {pk},
    uuid {text:36} NOT NULL,
    description {text:255},
    extra {long} NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX chassis_uuid ON chassis (uuid);

CREATE TABLE conductors (
    id {pk},
    hostname {text:255} NOT NULL,
    conductor_group {text:255} NOT NULL,
    drivers {long} NOT NULL,
    online {bool} NOT NULL,
    epoch BIGINT NOT NULL,
    counter BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX conductors_hostname ON conductors (hostname);

CREATE TABLE conductor_interfaces (
    id {pk},
    hostname {text:255} NOT NULL,
    hardware_type {text:255} NOT NULL,
    kind {text:32} NOT NULL,
    name {text:255} NOT NULL,
    is_default {bool} NOT NULL
);
CREATE INDEX conductor_interfaces_hostname ON conductor_interfaces (hostname);

CREATE TABLE node_history (
    id {pk},
    uuid {text:36} NOT NULL,
    node_uuid {text:36} NOT NULL,
    created_at BIGINT NOT NULL,
    conductor {text:255} NOT NULL,
    user_name {text:255},
    project {text:255},
    is_error {bool} NOT NULL,
    event_type {text:255} NOT NULL,
    event {long} NOT NULL,
    state {text:15} NOT NULL,
    target_provision_state {text:15},
    duration_seconds BIGINT
);
CREATE UNIQUE INDEX node_history_uuid ON node_history (uuid);
CREATE INDEX node_history_node_uuid ON node_history (node_uuid);

-- The event log. `sequence` is the position for readers. On SQLite the one writer sets it; on the
-- others it stays empty until a sequencer numbers what is committed.
CREATE TABLE events (
    id {pk},
    sequence BIGINT,
    at BIGINT NOT NULL,
    node_uuid {text:36} NOT NULL,
    node_name {text:255},
    kind {text:32} NOT NULL,
    text_line {long} NOT NULL,
    data {long} NOT NULL,
    user_name {text:255},
    project {text:255},
    request_id {text:255}
);
CREATE UNIQUE INDEX events_sequence ON events (sequence);
CREATE INDEX events_node_uuid ON events (node_uuid, sequence);

CREATE TABLE counters (
    name {text:64} NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counters (name, value) VALUES ('events', 0);
