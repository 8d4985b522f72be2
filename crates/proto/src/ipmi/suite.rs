//! Cipher suites: which algorithms a session of version 2.0 uses.
//!
//! Of the suites that the standard lists, those with RC4 are left out: nothing that still runs
//! offers only them, and they protect nothing.

/// How the two sides prove that they know the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authentication {
    None = 0,
    HmacSha1 = 1,
    HmacMd5 = 2,
    HmacSha256 = 3,
}

/// How packets are protected against changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrity {
    None = 0,
    HmacSha1_96 = 1,
    HmacMd5_128 = 2,
    HmacSha256_128 = 4,
}

/// How packets are hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidentiality {
    None = 0,
    AesCbc128 = 1,
}

impl Authentication {
    pub fn of_code(code: u8) -> Option<Self> {
        [Self::None, Self::HmacSha1, Self::HmacMd5, Self::HmacSha256]
            .into_iter()
            .find(|algorithm| *algorithm as u8 == code)
    }
}

impl Integrity {
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
    /// Whether nobody without the password can read or forge what is said.
    pub fn is_private(self) -> bool {
        self.authentication != Authentication::None
            && self.integrity != Integrity::None
            && self.confidentiality != Confidentiality::None
    }
}

/// A cipher suite that we can speak.
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
