//! Every target for some seconds, without a fuzzer.

#![cfg(not(fuzzing))]

use std::{collections::BTreeSet, fs, path::Path, process::Command};

const SECONDS: &str = "3";

macro_rules! targets {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let program = env!(concat!("CARGO_BIN_EXE_", stringify!($name)));
            let run = Command::new(program).arg(SECONDS).output().expect("the target starts");
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(run.status.success(), "{}: {said}", run.status);
        })*

        #[test]
        fn no_target_is_left_out() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
            let files = fs::read_dir(folder).expect("the folder is there");
            let files = files.map(|file| file.expect("a file").path());
            let names = files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
            let listed = [$(stringify!($name)),*].map(str::to_owned);
            assert_eq!(names.collect::<BTreeSet<_>>(), BTreeSet::from(listed));
        }
    };
}

targets! {
    amqp dhcp disk dns driver_line erasure fleet_query hypervisor iboot image ipmi ironic_json iscsi json_shape oidc openstack patch recording redfish request rfb seamicro sealed
    simulator snmp survey tftp wsman xml
}
