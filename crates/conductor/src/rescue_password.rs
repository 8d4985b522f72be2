//! The password of a rescued machine, as its `/etc/shadow` holds it.

use ring::rand::{SecureRandom, SystemRandom};
use sha_crypt::{PasswordHasher, ShaCrypt};
use types::Fault;

/// Encoded these are 16 characters. crypt(3) uses no more of a salt than that, and programs that
/// let people log in compare the whole text: with a longer salt nobody's password would be right.
const SALT_BYTES: usize = 12;

/// The hash of a password, by SHA-512 or else SHA-256.
pub(crate) fn hashed(password: &str, sha512: bool) -> Result<String, Fault> {
    let failed =
        |why: &str| Fault::Internal(format!("The rescue password cannot be hashed: {why}"));
    let mut salt = [0; SALT_BYTES];
    let filled = SystemRandom::new().fill(&mut salt);
    filled.map_err(|_| failed("the system gives no random bytes"))?;
    let scheme = if sha512 {
        ShaCrypt::SHA512
    } else {
        ShaCrypt::SHA256
    };
    let hash = scheme.hash_password_with_salt(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string())
        .map_err(|error| failed(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::hashed;
    use std::process::Command;

    /// What crypt(3) makes of a password and a hash that it is to match. Perl calls the one of the
    /// system's C library.
    fn crypt(password: &str, hash: &str) -> String {
        let mut perl = Command::new("perl");
        perl.args(["-e", "print crypt($ARGV[0], $ARGV[1])", password, hash]);
        let output = perl.output().expect("perl is there");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn login_programs_find_the_password_right() {
        for (password, sha512) in [
            ("Abcdef123456", false),
            ("Abcdef123456", true),
            ("s", false),
            ("pässwörd with spaces", true),
            ("0123456789012345678901234567890123456789", false),
        ] {
            let hash = hashed(password, sha512).unwrap();
            let scheme = if sha512 { "$6$" } else { "$5$" };
            assert!(hash.starts_with(scheme), "{hash}");
            assert_eq!(crypt(password, &hash), hash, "{password}");
            assert_ne!(crypt("another", &hash), hash);
        }
    }

    #[test]
    fn no_two_hashes_share_a_salt() {
        let salt = |hash: String| hash.split('$').nth(3).unwrap().to_owned();
        let first = salt(hashed("Abcdef123456", false).unwrap());
        let second = salt(hashed("Abcdef123456", false).unwrap());
        assert_eq!((first.len(), second.len()), (16, 16));
        assert_ne!(first, second);
    }
}
