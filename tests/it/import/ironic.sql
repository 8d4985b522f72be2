-- A database of Ironic 39 as far as an import reads it, with rows as they are found: unset flags,
-- nodes in flight, secrets, and damage. Column types do not matter to SQLite.

CREATE TABLE alembic_version (version_num);
INSERT INTO alembic_version VALUES ('9fb44677ef15');
CREATE TABLE chassis (id INTEGER PRIMARY KEY, uuid, description, extra, version, created_at, updated_at);
CREATE TABLE allocations (id INTEGER PRIMARY KEY, uuid, name, node_id, state, owner, last_error,
    resource_class, traits, candidate_nodes, extra, conductor_affinity, version, created_at, updated_at);
CREATE TABLE conductors (id INTEGER PRIMARY KEY, hostname, drivers, online, conductor_group, version,
    created_at, updated_at);
CREATE TABLE nodes (id INTEGER PRIMARY KEY, uuid, instance_uuid, instance_name, name, chassis_id,
    power_state, target_power_state, provision_state, target_provision_state, provision_updated_at,
    last_error, instance_info, properties, driver, driver_info, driver_internal_info, clean_step,
    deploy_step, resource_class, raid_config, target_raid_config, reservation, conductor_affinity,
    conductor_group DEFAULT '', maintenance DEFAULT 0, maintenance_reason, fault,
    console_enabled DEFAULT 0, inspection_finished_at, inspection_started_at, extra, automated_clean,
    protected DEFAULT 0, protected_reason, owner, lessee, allocation_id, description, bios_interface,
    boot_interface, console_interface, deploy_interface, firmware_interface, inspect_interface,
    management_interface, network_interface, raid_interface, rescue_interface, retired DEFAULT 0,
    retired_reason, network_data, storage_interface, power_interface, vendor_interface, boot_mode,
    secure_boot, shard, parent_node, service_step, disable_power_off DEFAULT 0, health, version,
    created_at DEFAULT '2024-03-09 18:45:41.000000', updated_at);
CREATE TABLE node_traits (node_id, trait, version, created_at, updated_at);
CREATE TABLE node_tags (node_id, tag, version, created_at, updated_at);
CREATE TABLE portgroups (id INTEGER PRIMARY KEY, uuid, name, node_id, address, extra, internal_info,
    standalone_ports_supported, mode, properties, physical_network, category, dynamic_portgroup,
    version, created_at, updated_at);
CREATE TABLE ports (id INTEGER PRIMARY KEY, uuid, address, node_id, extra, local_link_connection,
    portgroup_id, pxe_enabled, internal_info, physical_network, is_smartnic, name, description, vendor,
    category, available_for_dynamic_portgroup, version, created_at, updated_at);
CREATE TABLE volume_connectors (id INTEGER PRIMARY KEY, uuid, node_id, type, connector_id, extra,
    version, created_at, updated_at);
CREATE TABLE volume_targets (id INTEGER PRIMARY KEY, uuid, node_id, volume_type, properties, boot_index,
    volume_id, extra, version, created_at, updated_at);
CREATE TABLE bios_settings (node_id, name, value, attribute_type, allowable_values, lower_bound,
    upper_bound, min_length, max_length, read_only, reset_required, "unique", version, created_at,
    updated_at);
CREATE TABLE firmware_information (id INTEGER PRIMARY KEY, node_id, component, initial_version,
    current_version, last_version_flashed, vendor, model, serial_number, version, created_at, updated_at);
CREATE TABLE node_history (id INTEGER PRIMARY KEY, uuid, conductor, event_type, severity, event, user,
    project, node_id, state, target_provision_state, duration_seconds, version, created_at, updated_at);
CREATE TABLE node_inventory (id INTEGER PRIMARY KEY, inventory_data, plugin_data, node_id, version,
    created_at, updated_at);
CREATE TABLE deploy_templates (id INTEGER PRIMARY KEY, uuid, name, extra, version, created_at, updated_at);
CREATE TABLE deploy_template_steps (id INTEGER PRIMARY KEY, deploy_template_id, interface, step, args,
    priority, version, created_at, updated_at);
CREATE TABLE runbooks (id INTEGER PRIMARY KEY, uuid, name, description, public, owner, disable_ramdisk,
    extra, version, created_at, updated_at);
CREATE TABLE runbook_steps (id INTEGER PRIMARY KEY, runbook_id, interface, step, args, "order", version,
    created_at, updated_at);
CREATE TABLE runbook_traits (runbook_id, trait, version, created_at, updated_at);
CREATE TABLE inspection_rules (id INTEGER PRIMARY KEY, uuid, priority, description, scope, "sensitive",
    phase, conditions, actions, version, created_at, updated_at);

INSERT INTO chassis (id, uuid, description, extra, created_at)
    VALUES (1, 'c0000000-0000-4000-8000-000000000001', 'Räck', '{}', '2024-03-09 18:45:41.000000');
INSERT INTO allocations (id, uuid, name, node_id, state, resource_class, traits, candidate_nodes, extra,
    created_at) VALUES
    (1, 'a0000000-0000-4000-8000-000000000001', 'web', 1, 'active', 'gold', '[]', '[]', '{}',
     '2024-03-09 18:45:41.000000'),
    (2, 'a0000000-0000-4000-8000-000000000002', NULL, NULL, 'allocating', 'gold', '["CUSTOM_X"]', '[]',
     '{}', '2024-03-09 18:45:41.000000');
-- An active node with everything.
INSERT INTO nodes (id, uuid, name, instance_uuid, chassis_id, allocation_id, power_state,
    provision_state, driver, driver_info, instance_info, driver_internal_info, properties, extra,
    resource_class, retired, deploy_interface, power_interface, management_interface) VALUES
    (1, '10000000-0000-4000-8000-000000000001', 'web-1', 'a0000000-0000-4000-8000-000000000001', 1, 1,
     'power on', 'active', 'fake-hardware',
     '{"ipmi_username": "admin", "ipmi_password": "hunter2"}', '{"configdrive": "H4sI"}', '{}',
     '{"cpus": 4}', '{"rocket": "\ud83d\ude80"}', 'gold', NULL, 'fake', 'fake', 'fake');
-- A node that waits for its agent since long ago.
INSERT INTO nodes (id, uuid, name, power_state, provision_state, target_provision_state,
    provision_updated_at, driver, driver_internal_info, deploy_interface, power_interface,
    management_interface, boot_interface) VALUES
    (2, '10000000-0000-4000-8000-000000000002', 'waits', 'power on', 'wait call-back', 'active',
     '2024-03-09 18:45:41.000000', 'fake-hardware',
     '{"agent_secret_token": "t0ken", "agent_url": "http://192.0.2.1:9999",
       "agent_verify_ca": "/var/lib/ironic/certificates/2.crt"}', 'fake', 'fake', 'fake', 'fake');
-- A node that a conductor deploys, and one whose power it changes.
INSERT INTO nodes (id, uuid, name, power_state, provision_state, target_provision_state, driver,
    driver_internal_info, reservation, deploy_interface, power_interface, management_interface,
    boot_interface) VALUES
    (3, '10000000-0000-4000-8000-000000000003', 'works', 'power on', 'deploying', 'active',
     'fake-hardware', '{"deploy_steps": [{"interface": "deploy", "step": "no_such_step", "priority": 9}],
     "deploy_step_index": 0}', 'ctl1', 'fake', 'fake', 'fake', 'fake');
INSERT INTO nodes (id, uuid, name, power_state, target_power_state, provision_state, driver,
    power_interface, management_interface) VALUES
    (4, '10000000-0000-4000-8000-000000000004', 'reboots', 'power on', 'rebooting', 'manageable',
     'fake-hardware', 'fake', 'fake');
-- Damage: JSON that is none, flags without values, and a UUID that is none.
INSERT INTO nodes (id, uuid, provision_state, driver, extra, properties, driver_info, maintenance,
    console_enabled, conductor_group) VALUES
    (5, '10000000-0000-4000-8000-00000000000A', 'available', 'snmp', '{"n": NaN, "s": "\ud800"}',
     '{"cut', '[1]', NULL, NULL, 'Rack-B');
INSERT INTO nodes (id, uuid, provision_state, driver) VALUES (6, 'not-a-uuid', 'frobnicating', NULL);
INSERT INTO node_traits (node_id, trait) VALUES (1, 'CUSTOM_B'), (1, 'CUSTOM_A');
INSERT INTO ports (id, uuid, address, node_id, pxe_enabled, extra, internal_info,
    local_link_connection, available_for_dynamic_portgroup, created_at) VALUES
    (1, '20000000-0000-4000-8000-000000000001', '52:54:00:00:00:01', 1, 1, '{}', '{}', '{}', 1,
     '2024-03-09 18:45:41.000000'),
    (2, '20000000-0000-4000-8000-000000000002', '52:54:00:00:00:02', NULL, 1, '{}', '{}', '{}', 1,
     '2024-03-09 18:45:41.000000'),
    (3, '20000000-0000-4000-8000-000000000003', '52:54:00:00:00:0A', 1, 1, '{}', '{}', '{}', 1,
     '2024-03-09 18:45:41.000000'),
    (4, '20000000-0000-4000-8000-000000000004', '52:54:00:00:00:0a', 1, 1, '{}', '{}', '{}', 1,
     '2024-03-09 18:45:41.000000');
INSERT INTO node_history (id, uuid, node_id, event, created_at) VALUES
    (1, '30000000-0000-4000-8000-000000000001', 1, 'old', '2024-03-09 18:45:41.000000');
INSERT INTO bios_settings (node_id, name, value, allowable_values, created_at) VALUES
    (1, 'Boot', 'Uefi', '["Uefi", "Bios"]', '2024-03-09 18:45:41.000000');
INSERT INTO node_inventory (id, inventory_data, plugin_data, node_id, created_at) VALUES
    (1, '{"old": true}', '{}', 1, '2024-03-09 18:45:41.000000'),
    (2, '{"new": true}', '{}', 1, '2024-03-10 18:45:41.000000');
INSERT INTO inspection_rules (id, uuid, priority, "sensitive", phase, conditions, actions, created_at)
    VALUES (1, '40000000-0000-4000-8000-000000000001', 5, 1, 'main', '[]',
     '[{"op": "fail", "args": {"msg": "s3cret"}}]', '2024-03-09 18:45:41.000000');
INSERT INTO runbooks (id, uuid, name, public, disable_ramdisk, extra, created_at) VALUES
    (1, '50000000-0000-4000-8000-000000000001', 'CUSTOM_A', 0, 0, '{}', '2024-03-09 18:45:41.000000');
INSERT INTO runbook_steps (id, runbook_id, interface, step, args, "order") VALUES
    (1, 1, 'vendor', 'log_passthrough', '{}', 1);
INSERT INTO runbook_traits (runbook_id, trait) VALUES (1, 'CUSTOM_A');
