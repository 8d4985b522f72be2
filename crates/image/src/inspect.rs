//! Which images are taken: the operator's list of formats, and what an image was said to be.

use crate::{Format, ImageError};
use proto::disk::detect::{self, DetectedImage};

/// The rules of `[conductor]permitted_image_formats` and its kin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    pub permitted: Vec<Format>,
    /// Whether formats that can point outside the file are looked into
    /// (`[conductor]disable_deep_image_inspection`, turned around).
    pub deep: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            permitted: vec![Format::Raw, Format::Gpt, Format::Qcow2, Format::Iso],
            deep: true,
        }
    }
}

impl Rules {
    /// What an image is, by its start and its end, if it may be used.
    pub fn check(
        &self,
        prefix: &[u8],
        tail: &[u8],
        declared: Option<&str>,
        image: &str,
    ) -> Result<DetectedImage, ImageError> {
        let found = match detect::inspect(prefix, tail) {
            Ok(found) => found,
            Err(source) if self.deep => {
                return Err(ImageError::Unsafe {
                    image: image.to_owned(),
                    source,
                });
            }
            // Not looked into by the operator's wish: what comes first by name counts.
            Err(_) => DetectedImage {
                format: detect::matches(prefix)
                    .first()
                    .copied()
                    .unwrap_or(Format::Raw),
                virtual_size: None,
            },
        };
        if !self.deep {
            return Ok(found);
        }
        let format = found.format;
        let as_raw = format.is_raw() && self.permitted.contains(&Format::Raw);
        if !as_raw && !self.permitted.contains(&format) {
            return Err(ImageError::NotPermitted {
                image: image.to_owned(),
                format,
            });
        }
        match declared {
            Some(declared) if !format.may_be_called(declared) => Err(ImageError::WrongFormat {
                image: image.to_owned(),
                format,
                declared: declared.to_owned(),
            }),
            _ => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_must_be_what_it_is_said_to_be() {
        let rules = Rules::default();
        let check = |bytes: &[u8], declared| {
            rules
                .check(bytes, &[], declared, "x")
                .map(|found| found.format)
        };
        assert_eq!(check(&[0; 9], Some("raw")).unwrap(), Format::Raw);
        assert!(matches!(
            check(&[0; 9], Some("qcow2")),
            Err(ImageError::WrongFormat { .. })
        ));
        assert!(matches!(
            check(b"conectix", None),
            Err(ImageError::NotPermitted { .. })
        ));
        assert!(matches!(
            check(b"QED\0", None),
            Err(ImageError::Unsafe { .. })
        ));
    }
}
