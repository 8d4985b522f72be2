//! What a survey found, in the words that are kept and shown.

use crate::survey::{Contents, Survey, Verdict};
use types::image::{BootVerdict, Boots, ImageKind, ImageSurvey};

/// What is kept of a survey.
pub fn told(survey: &Survey) -> ImageSurvey {
    let format = if survey.format.is_raw() {
        "raw"
    } else {
        survey.format.as_str()
    };
    ImageSurvey {
        kind: match survey.contents {
            Contents::Disk(_) => ImageKind::Disk,
            Contents::Volume(_) => ImageKind::Partition,
            Contents::Disc { .. } => ImageKind::Disc,
            Contents::Kernel(_)
            | Contents::Initramfs
            | Contents::Program(_)
            | Contents::Unknown => ImageKind::Unknown,
        },
        format: format.to_owned(),
        packing: survey.packing.map(|packing| packing.as_str().to_owned()),
        disk_size: survey.virtual_size,
        architectures: survey
            .machines
            .iter()
            .map(|machine| machine.as_str().to_owned())
            .collect(),
        bios: verdict(&survey.bios),
        uefi: verdict(&survey.uefi),
    }
}

fn verdict(verdict: &Verdict) -> BootVerdict {
    let (boots, reason) = match verdict {
        Verdict::Boots(how) => (Boots::Yes, how),
        Verdict::Fails(why) => (Boots::No, why),
        Verdict::Unknown(why) => (Boots::Unknown, why),
    };
    BootVerdict {
        boots,
        reason: reason.clone(),
    }
}
