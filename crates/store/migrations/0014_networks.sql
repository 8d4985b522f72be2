-- Networks that the DHCP server gives addresses in, the addresses that are kept for certain machines,
-- the leases of all conductors, and the names that a DNS server was told.

CREATE TABLE networks (
    id {pk},
    name {text:64} NOT NULL,
    version BIGINT NOT NULL,
    prefix {text:64} NOT NULL,
    plan {long} NOT NULL,
    served_by {text:255},
    created_at BIGINT NOT NULL,
    updated_at BIGINT
);
CREATE UNIQUE INDEX networks_name ON networks (name);

-- One row: how often networks or reservations were changed. Who changes them takes it first.
CREATE TABLE network_changes (
    id {pk},
    number BIGINT NOT NULL
);
INSERT INTO network_changes (number) VALUES (0);

CREATE TABLE network_reservations (
    id {pk},
    network {text:64} NOT NULL,
    mac {text:18} NOT NULL,
    address {text:64} NOT NULL,
    address_key {text:32} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX network_reservations_mac ON network_reservations (network, mac);
CREATE UNIQUE INDEX network_reservations_address_key ON network_reservations (address_key);

CREATE TABLE dhcp_leases (
    id {pk},
    conductor {text:255} NOT NULL,
    address {text:64} NOT NULL,
    address_key {text:32} NOT NULL,
    mac {text:18} NOT NULL,
    ends_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX dhcp_leases_conductor ON dhcp_leases (conductor, address_key);
CREATE INDEX dhcp_leases_address_key ON dhcp_leases (address_key);

CREATE TABLE dns_names (
    id {pk},
    conductor {text:255} NOT NULL,
    name {text:255} NOT NULL,
    address {text:64} NOT NULL,
    is_told {bool} NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX dns_names_address ON dns_names (conductor, name, address);
CREATE INDEX dns_names_name ON dns_names (name);
