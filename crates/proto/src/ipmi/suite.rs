//! Cipher suites: which algorithms a session of version 2.0 uses (IPMI 2.0 Table 22-19).
//!
//! Of the suites in that table, those with xRC4 are left out: no BMC in use offers only them, and
//! RC4 is broken.

/// RAKP authentication algorithms (IPMI 2.0 Table 13-17).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authentication {
    None = 0,
    HmacSha1 = 1,
    HmacMd5 = 2,
    HmacSha256 = 3,
}

/// Integrity algorithms (IPMI 2.0 Table 13-18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrity {
    None = 0,
    HmacSha1_96 = 1,
    HmacMd5_128 = 2,
    HmacSha256_128 = 4,
}

/// Confidentiality algorithms (IPMI 2.0 Table 13-19).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidentiality {
    None = 0,
    AesCbc128 = 1,
}

impl Authentication {
    /// The algorithm with this code.
    pub fn of_code(code: u8) -> Option<Self> {
        [Self::None, Self::HmacSha1, Self::HmacMd5, Self::HmacSha256]
            .into_iter()
            .find(|algorithm| *algorithm as u8 == code)
    }
}

impl Integrity {
    /// The algorithm with this code.
    pub fn of_code(code: u8) -> Option<Self> {
        [
            Self::None,
            Self::HmacSha1_96,
            Self::HmacMd5_128,
            Self::HmacSha256_128,
        ]
        .into_iter()
        .find(|algorithm| *algorithm as u8 == code)
    }
}

impl Confidentiality {
    /// The algorithm with this code.
    pub fn of_code(code: u8) -> Option<Self> {
        [Self::None, Self::AesCbc128]
            .into_iter()
            .find(|algorithm| *algorithm as u8 == code)
    }
}

/// The algorithms of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithms {
    pub authentication: Authentication,
    pub integrity: Integrity,
    pub confidentiality: Confidentiality,
}

impl Algorithms {
    /// Whether the session is authenticated, protected from changes and encrypted.
    pub fn is_private(self) -> bool {
        self.authentication != Authentication::None
            && self.integrity != Integrity::None
            && self.confidentiality != Confidentiality::None
    }
}

/// A cipher suite that is implemented here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suite {
    pub id: u8,
    pub algorithms: Algorithms,
}

const fn suite(
    id: u8,
    authentication: Authentication,
    integrity: Integrity,
    confidentiality: Confidentiality,
) -> Suite {
    Suite {
        id,
        algorithms: Algorithms {
            authentication,
            integrity,
            confidentiality,
        },
    }
}

impl Suite {
    /// All suites that are implemented here.
    pub const ALL: &[Self] = &[
        suite(
            0,
            Authentication::None,
            Integrity::None,
            Confidentiality::None,
        ),
        suite(
            1,
            Authentication::HmacSha1,
            Integrity::None,
            Confidentiality::None,
        ),
        suite(
            2,
            Authentication::HmacSha1,
            Integrity::HmacSha1_96,
            Confidentiality::None,
        ),
        suite(
            3,
            Authentication::HmacSha1,
            Integrity::HmacSha1_96,
            Confidentiality::AesCbc128,
        ),
        suite(
            6,
            Authentication::HmacMd5,
            Integrity::None,
            Confidentiality::None,
        ),
        suite(
            7,
            Authentication::HmacMd5,
            Integrity::HmacMd5_128,
            Confidentiality::None,
        ),
        suite(
            8,
            Authentication::HmacMd5,
            Integrity::HmacMd5_128,
            Confidentiality::AesCbc128,
        ),
        suite(
            15,
            Authentication::HmacSha256,
            Integrity::None,
            Confidentiality::None,
        ),
        suite(
            16,
            Authentication::HmacSha256,
            Integrity::HmacSha256_128,
            Confidentiality::None,
        ),
        suite(
            17,
            Authentication::HmacSha256,
            Integrity::HmacSha256_128,
            Confidentiality::AesCbc128,
        ),
    ];

    /// The suite with this number.
    pub fn of_id(id: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|suite| suite.id == id)
    }

    /// The suite with exactly these algorithms.
    pub fn of_algorithms(algorithms: Algorithms) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|suite| suite.algorithms == algorithms)
    }
}
