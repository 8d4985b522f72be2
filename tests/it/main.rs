//! The one integration binary: the store and the whole service, on every database engine.
//!
//! Each test has its own database and its own server on a free port, and waits for states, never
//! for time. Everything is in one binary because each further one would link the whole service
//! again.
//!
//! PostgreSQL and MariaDB tests need a server: run them under `scripts/with-postgres` and
//! `scripts/with-mariadb`. Those of tokens need a Keystone: run them under `scripts/with-keystone`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what helps to understand why"
)]

#[macro_use]
mod database;
mod agent;
mod alerts;
mod allocation;
mod apply;
mod backup;
mod bad_input;
mod baselines;
mod batch;
mod boot;
mod children;
mod cloud;
mod cluster;
mod entry_points;
mod events;
mod external;
mod first_day;
mod first_steps;
mod fleet;
mod frozen;
mod golden;
mod health;
mod hints;
mod http;
mod images;
mod import;
mod inspection;
mod ipmi;
mod keystone;
mod kill;
mod lab;
mod leases;
mod life;
mod limits;
mod logs;
mod manager;
mod metrics;
mod networks;
mod neutron;
mod old_protocols;
mod openstack;
mod openstack_requests;
mod options;
mod passes;
mod policy;
mod port;
mod precautions;
mod program;
mod pxe_filter;
mod ramdisk;
mod ramdisk_boot;
mod redfish;
mod redfish_steps;
mod rotate;
mod rule_trial;
mod runbook;
mod screen;
mod shadow;
mod sim_ipmi;
mod sim_redfish;
mod snmp;
mod sshd;
mod status;
mod store;
mod takeover;
mod template;
mod tutorial;
mod users;
mod vmedia;
