//! Finds the BMCs in ranges of addresses, and says what machines they belong to.
//!
//! Every address is asked two questions that need no password: the root of a Redfish service, and
//! the authentication capabilities of a BMC that speaks IPMI. What answers is asked for more only
//! with the credentials that the operator named for that very address ([`Credentials`]): one login,
//! never a second try, never another password. New addresses are met at a limited rate, and each
//! has one conversation at a time ([`scan`]).
//!
//! The conversations themselves are those of the drivers. Nothing is changed on any BMC, and
//! nothing is enrolled here.

mod address;
mod credentials;
mod found;
mod ipmi;
mod reach;
mod redfish;
mod scan;

pub use address::{MOST_ADDRESSES, RangeError, addresses, listed};
pub use credentials::{Credentials, CredentialsError};
pub use found::{Bmc, IpmiVersion, Power, ProbeResult, System};
pub use ipmi::NoBmc;
pub use reach::{Reach, Unreached};
pub use redfish::NotRedfish;
pub use scan::{Limits, Ports, Scan};
