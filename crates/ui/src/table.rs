//! The built page, file by file. Written by `make ui`; not by hand.

use crate::File;

pub(crate) const FILES: &[File] = &[
    File {
        name: "assets/boot-QMZNOY5W.js",
        bytes: include_bytes!("../../../ui/dist/assets/boot-QMZNOY5W.js"),
    },
    File {
        name: "assets/main-7V4CMKGV.css",
        bytes: include_bytes!("../../../ui/dist/assets/main-7V4CMKGV.css"),
    },
    File {
        name: "assets/main-E2DZWHKI.js",
        bytes: include_bytes!("../../../ui/dist/assets/main-E2DZWHKI.js"),
    },
    File {
        name: "assets/terminal-4PUH3NOJ.js",
        bytes: include_bytes!("../../../ui/dist/assets/terminal-4PUH3NOJ.js"),
    },
    File {
        name: "assets/vnc-NHZLK5HK.js",
        bytes: include_bytes!("../../../ui/dist/assets/vnc-NHZLK5HK.js"),
    },
    File {
        name: "assets/vnc-WE4J7CJA.css",
        bytes: include_bytes!("../../../ui/dist/assets/vnc-WE4J7CJA.css"),
    },
    File {
        name: "favicon.svg",
        bytes: include_bytes!("../../../ui/dist/favicon.svg"),
    },
    File {
        name: "index.html",
        bytes: include_bytes!("../../../ui/dist/index.html"),
    },
    File {
        name: "licences.txt",
        bytes: include_bytes!("../../../ui/dist/licences.txt"),
    },
    File {
        name: "vnc.html",
        bytes: include_bytes!("../../../ui/dist/vnc.html"),
    },
];
