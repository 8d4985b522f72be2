//! The built page, file by file. Written by `make ui`; not by hand.

use crate::File;

pub(crate) const FILES: &[File] = &[
    File {
        name: "assets/boot-QMZNOY5W.js",
        bytes: include_bytes!("../../../ui/dist/assets/boot-QMZNOY5W.js"),
    },
    File {
        name: "assets/main-BJPFGDVT.css",
        bytes: include_bytes!("../../../ui/dist/assets/main-BJPFGDVT.css"),
    },
    File {
        name: "assets/main-DLSKPKWR.js",
        bytes: include_bytes!("../../../ui/dist/assets/main-DLSKPKWR.js"),
    },
    File {
        name: "assets/terminal-4PUH3NOJ.js",
        bytes: include_bytes!("../../../ui/dist/assets/terminal-4PUH3NOJ.js"),
    },
    File {
        name: "assets/vnc-FTZLVC2R.css",
        bytes: include_bytes!("../../../ui/dist/assets/vnc-FTZLVC2R.css"),
    },
    File {
        name: "assets/vnc-NHZLK5HK.js",
        bytes: include_bytes!("../../../ui/dist/assets/vnc-NHZLK5HK.js"),
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
