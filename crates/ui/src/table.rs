//! The built page, file by file. Written by `make ui`; not by hand.

use crate::File;

pub(crate) const FILES: &[File] = &[
    File {
        name: "assets/boot-QMZNOY5W.js",
        bytes: include_bytes!("../../../ui/dist/assets/boot-QMZNOY5W.js"),
    },
    File {
        name: "assets/main-GLS7EGF7.css",
        bytes: include_bytes!("../../../ui/dist/assets/main-GLS7EGF7.css"),
    },
    File {
        name: "assets/main-NDMKFUTH.js",
        bytes: include_bytes!("../../../ui/dist/assets/main-NDMKFUTH.js"),
    },
    File {
        name: "assets/terminal-4PUH3NOJ.js",
        bytes: include_bytes!("../../../ui/dist/assets/terminal-4PUH3NOJ.js"),
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
];
