//! Calls against a scripted cloud.

mod failures;
mod glance;
mod login;
mod neutron;
mod others;
