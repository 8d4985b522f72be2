//! Protocol codecs: bytes to values and back, without I/O.
//!
//! Everything here is a function from bytes to values or back: no sockets, no clocks, no source of
//! randomness. The caller passes nonces and the time in, and decides on timeouts and retries. The
//! same code therefore serves our clients, our simulators and the fuzzers, and every conversation
//! can be replayed from its bytes.
//!
//! Comments name the standard and the section where a rule comes from. "IPMI 2.0" is revision 1.1
//! of that specification.

pub mod amqp;
pub mod cpio;
pub mod dhcp;
pub mod disk;
pub mod dns;
pub mod driver;
pub mod ext4;
pub mod fat;
mod field;
pub mod http_digest;
pub mod hypervisor;
pub mod iboot;
pub mod ipmi;
pub mod iscsi;
pub mod iso9660;
pub mod modules;
pub mod msftocs;
pub mod nuova;
pub mod program;
mod reader;
pub mod rfb;
pub mod seamicro;
pub mod snmp;
pub mod tftp;
pub mod volume;
pub mod wol;
pub mod wsman;
pub mod xml;
