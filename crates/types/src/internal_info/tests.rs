//! The document stays what it was, whatever others wrote into it.

use super::*;
use crate::{
    InterfaceKind,
    rpc::Heartbeat,
    step::{StepKind, UserStep},
};
use proptest::prelude::*;
use serde_json::json;

fn info(value: Value) -> InternalInfo {
    serde_json::from_value(value).unwrap()
}

fn shown(info: &InternalInfo) -> Value {
    serde_json::to_value(info).unwrap()
}

#[test]
fn keys_that_nobody_knows_stay_where_they_are() {
    let text = r#"{"b":[1,{"z":null}],"agent_url":"http://a","a":"x"}"#;
    let mut info: InternalInfo = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&info).unwrap(), text);
    info.set_step_index(StepKind::Clean, 3);
    assert_eq!(
        serde_json::to_string(&info).unwrap(),
        r#"{"b":[1,{"z":null}],"agent_url":"http://a","a":"x","clean_step_index":3}"#
    );
}

#[test]
fn the_end_of_a_flow_forgets_what_belongs_to_it() {
    let all = json!({
        "clean_steps": [], "clean_step_index": 1, "cleaning_reboot": true,
        "skip_current_clean_step": false, "cleaning_polling": true,
        "agent_cached_clean_steps": {}, "cleaning_disable_ramdisk": true,
        "declarative_cleaning": true,
        "deploy_steps": [], "deploy_step_index": 1, "deployment_reboot": true,
        "skip_current_deploy_step": false, "deployment_polling": true, "user_deploy_steps": [],
        "agent_cached_deploy_steps": {}, "image_source": "i",
        "service_steps": [], "service_step_index": 1, "servicing_reboot": true,
        "skip_current_service_step": false, "servicing_polling": true,
        "agent_cached_service_steps": {}, "service_disable_ramdisk": null,
        "steps_validated": true, "agent_start_attempted": true, "step_poll_due": "t",
        "step_poll_reboot": true, "step_poll_ramdisk": true, "step_state": {},
        "agent_url": "u", "odd": 5,
    });
    for (kind, words) in [
        (StepKind::Clean, ["clean", "declarative"].as_slice()),
        (StepKind::Deploy, &["deploy", "image_source"]),
        (StepKind::Service, &["servic", "image_source"]),
    ] {
        let mut info = info(all.clone());
        info.forget_steps(kind);
        let shared = ["steps_validated", "agent_start_attempted", "step_"];
        let mut kept = all.clone();
        kept.as_object_mut().unwrap().retain(|key, _| {
            let is_of_flow = words.iter().any(|word| key.contains(word));
            !is_of_flow && !shared.iter().any(|start| key.starts_with(start))
        });
        kept[format!("{kind}_steps")] = Value::Null;
        assert_eq!(shown(&info), kept, "{kind}");
    }
}

#[test]
fn a_token_in_what_a_machine_boots_outlives_the_agent() {
    let mut given = info(json!({"agent_url": "u"}));
    given.give_agent_token("t");
    let mut embedded = given.clone();
    embedded.embed_agent_token("t");
    for forget in [
        InternalInfo::forget_agent_before_boot,
        InternalInfo::forget_agent_after_power_cut,
    ] {
        let (mut given, mut embedded) = (given.clone(), embedded.clone());
        forget(&mut given);
        forget(&mut embedded);
        assert_eq!(shown(&given), json!({}));
        assert!(!embedded.has_agent());
        assert_eq!(embedded.agent_token(), Some(&json!("t")));
    }
    embedded.forget_agent();
    assert_eq!(shown(&embedded), json!({}));
}

#[test]
fn a_token_that_nobody_was_told_need_not_be_shown() {
    let mut withheld = info(json!({"agent_url": "u"}));
    assert!(!withheld.is_agent_token_told());
    withheld.withhold_agent_token("t");
    assert_eq!(withheld.agent_token(), Some(&json!("t")));
    assert!(!withheld.is_agent_token_told());
    for tell in [
        InternalInfo::give_agent_token,
        InternalInfo::embed_agent_token,
    ] {
        let mut told = withheld.clone();
        tell(&mut told, "new");
        assert!(told.is_agent_token_told());
    }
    for forget in [
        InternalInfo::forget_agent,
        InternalInfo::forget_agent_before_boot,
        InternalInfo::forget_agent_after_power_cut,
    ] {
        let mut forgotten = withheld.clone();
        forget(&mut forgotten);
        assert_eq!(shown(&forgotten), json!({}));
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut info = InternalInfo::default();
    let at = Timestamp(1_700_000_000_000_000);
    info.note_heartbeat(
        &Heartbeat {
            callback_url: "https://a:9999".into(),
            agent_version: Some("13.0".into()),
            agent_token: Some("never kept".into()),
            agent_verify_ca: Some("pem".into()),
            agent_status: None,
            agent_status_message: None,
            from: None,
        },
        at,
    );
    assert_eq!(
        shown(&info),
        json!({
            "agent_url": "https://a:9999", "agent_last_heartbeat": "2023-11-14T22:13:20.000000",
            "agent_version": "13.0", "agent_verify_ca": "pem",
        })
    );
    assert_eq!(info.agent_last_heartbeat(), Some(at));
    let step = json!({"interface": "deploy", "step": "erase", "priority": 5});
    let by_interface = json!({"deploy": [step]}).as_object().cloned().unwrap();
    info.set_agent_steps(StepKind::Clean, by_interface, at);
    assert_eq!(info.agent_steps(StepKind::Deploy), None);
    let offered = info.agent_steps(StepKind::Clean).unwrap();
    assert_eq!(offered[0].name(), "deploy.erase");
    assert!(info.has_agent_step(StepKind::Clean, InterfaceKind::Deploy, "erase"));
    assert!(!info.has_agent_step(StepKind::Clean, InterfaceKind::Raid, "erase"));
    info.set_steps(StepKind::Clean, &offered);
    assert_eq!(info.steps(StepKind::Clean), offered);
    let erasure = Erasure {
        iterations: Some(2),
        zeroize: Some(true),
        continue_if_secure_erase_failed: Some(false),
        ..Erasure::default()
    };
    info.set_erasure(&erasure);
    assert_eq!(info.erasure(), erasure);
    info.set_prepared_ramdisk("cleaning", at);
    assert_eq!(info.prepared_ramdisk(), Some(("cleaning", at)));
    info.set_console_port(8023);
    assert_eq!(info.console_port(), Some(8023));
}

#[test]
fn an_error_code_is_not_shown_to_clients() {
    let mut info = info(json!({"a": 1}));
    assert!(matches!(info.public_json(), Cow::Borrowed(_)));
    info.set_last_error_code(&json!({"code": "x"}));
    assert_eq!(json!(info.public_json()), json!({"a": 1}));
    assert_eq!(info.last_error_code::<Value>(), Some(json!({"code": "x"})));
}

#[test]
fn a_step_that_is_to_be_repeated_says_so_once() {
    let mut info = info(json!({"skip_current_clean_step": false}));
    assert!(info.take_step_repeat(StepKind::Clean));
    assert!(!info.take_step_repeat(StepKind::Clean));
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([{"interface": "bios", "step": "x"}, 5, {"interface": 5}, {"step": []}])),
        Just(json!({"deploy": [{"step": 5}], "raid": 5, "at": 5, "purpose": []})),
    ]
}

proptest! {
    /// A value of any type under any key is no reason to fail, and reading changes nothing.
    #[test]
    fn readers_take_what_they_find(values in proptest::collection::vec(value(), KEYS.len())) {
        let map: JsonMap = KEYS.iter().map(|key| (*key).to_owned()).zip(values).collect();
        let mut info = InternalInfo::from(map.clone());
        let _ = (info.agent_url(), info.agent_certificate(), info.agent_version());
        let _ = (info.agent_last_heartbeat(), info.agent_token(), info.has_embedded_agent_token());
        let _ = info.is_agent_token_told();
        let _ = (info.hardware_manager_version(), info.step_state(), info.has_step_poll());
        let _ = (info.is_step_poll_due(Timestamp(0)), info.has_pending_reboot());
        let _ = (info.prepared_image(), info.prepared_ramdisk(), info.erasure());
        let _ = (info.deploy_boot_mode(), info.root_identifier(), info.console_port());
        let _ = (info.user_deploy_steps(), info.requested_clean_steps());
        let _ = (info.last_power_state_change(), info.last_error_code::<u8>());
        for &kind in StepKind::ALL {
            let _ = (info.steps(kind), info.step_index(kind), info.agent_steps(kind));
        }
        prop_assert_eq!(info.raw_json(), &map);
        for &kind in StepKind::ALL {
            info.forget_steps(kind);
            prop_assert!(info.steps(kind).is_empty());
            prop_assert_eq!(info.step_index(kind), None);
        }
        info.forget_instance();
        prop_assert!(!info.has_agent());
    }
}

/// Keys that are read.
const KEYS: &[&str] = &[
    key::AGENT_URL,
    key::AGENT_VERIFY_CA,
    key::AGENT_VERSION,
    key::AGENT_LAST_HEARTBEAT,
    key::AGENT_SECRET_TOKEN,
    key::AGENT_SECRET_TOKEN_PREGENERATED,
    key::AGENT_WITHOUT_TOKEN,
    key::HARDWARE_MANAGER_VERSION,
    key::STEP_STATE,
    key::STEP_POLL_DUE,
    key::STEP_POLL_REBOOT,
    key::PREPARED_IMAGE,
    key::IMAGE_URL_EXPIRES,
    key::PREPARED_RAMDISK,
    key::DEPLOY_BOOT_MODE,
    key::ROOT_UUID_OR_DISK_ID,
    key::ALLOCATED_IPMI_TERMINAL_PORT,
    key::USER_DEPLOY_STEPS,
    key::LAST_POWER_STATE_CHANGE,
    key::LAST_ERROR_CODE,
    key::ERASE_ITERATIONS,
    key::ERASE_ZEROIZE,
    key::list(StepKind::Clean),
    key::list(StepKind::Deploy),
    key::index(StepKind::Clean),
    key::index(StepKind::Deploy),
    key::agent_steps(StepKind::Clean),
    key::agent_steps(StepKind::Deploy),
];

#[test]
fn steps_that_a_user_asked_for_are_kept_as_written() {
    let given = json!({"interface": "raid", "step": "x", "args": {}, "priority": 7});
    let asked = UserStep::from_map(given.as_object().cloned().unwrap()).unwrap();
    let mut info = InternalInfo::default();
    info.set_user_deploy_steps(std::slice::from_ref(&asked));
    assert_eq!(shown(&info), json!({"user_deploy_steps": [given]}));
    assert_eq!(info.user_deploy_steps(), [asked]);
}
