//! The `ipmitool` vendor interface: raw requests, and restarting the BMC.

use super::{
    Ipmi,
    info::{bool_from_string, parse_byte},
    talk::Again,
};
use crate::{
    DriverError,
    iface::{Interface, Machine, Vendor},
};
use async_trait::async_trait;
use proto::ipmi::{
    command::device,
    message::{Completion, NetFn, Request},
};
use serde_json::Value;
use std::sync::Arc;
use types::{
    JsonMap, LeaseProof, pyrepr,
    rpc::VendorMethod,
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

const SEND_RAW: &str = "send_raw";
const BMC_RESET: &str = "bmc_reset";
const RAW_BYTES: &str = "raw_bytes";
const HIGHEST_FUNCTION: u8 = 0x3f;

const fn step(kind: StepKind) -> StepSpec {
    StepSpec {
        kind,
        step: SEND_RAW,
        priority: 0,
        abortable: false,
        requires_ramdisk: false,
        args: &[ArgSpec {
            name: RAW_BYTES,
            description: "A string of raw bytes to convey the request to transmit to the remote BMC.",
            required: true,
        }],
        on_restart: OnRestart::Fail("it cannot be told whether the BMC got the request"),
    }
}

const STEPS: &[StepSpec] = &[
    step(StepKind::Clean),
    step(StepKind::Deploy),
    step(StepKind::Service),
];

/// Vendor passthru by IPMI.
#[derive(Debug, Clone)]
pub struct IpmiVendor(pub Arc<Ipmi>);

#[async_trait]
impl Interface for IpmiVendor {
    fn name(&self) -> &'static str {
        "ipmitool"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        super::info::PROPERTIES
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.0.info(machine).map(|_| ())
    }

    fn steps(&self) -> &'static [StepSpec] {
        STEPS
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        if step.step != SEND_RAW {
            return Err(DriverError::no_step(step));
        }
        let given = step.args.get(RAW_BYTES).filter(|v| pyrepr::truth(v));
        let Some(given) = given else {
            return Err(DriverError::InvalidParameter(
                "Argument raw_bytes is missing.".into(),
            ));
        };
        self.send_raw(machine, given).await?;
        Ok(StepOutcome::Done)
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Vendor for IpmiVendor {
    fn methods(&self) -> Vec<VendorMethod> {
        let method = |name: &str, description: &str| VendorMethod {
            name: name.to_owned(),
            http_methods: vec!["POST".to_owned()],
            r#async: true,
            description: description.to_owned(),
            attach: false,
            require_exclusive_lock: true,
        };
        vec![
            method(
                BMC_RESET,
                "Reset the BMC. Required argument: 'warm' (Boolean) - for warm (True) or cold (False) reset.",
            ),
            method(
                SEND_RAW,
                "Send raw bytes to the BMC. Required argument: 'raw_bytes' - a string of raw bytes (e.g. '0x00 0x01').",
            ),
        ]
    }

    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError> {
        match method {
            BMC_RESET => Ok(()),
            SEND_RAW => match arguments.get(RAW_BYTES).filter(|v| pyrepr::truth(v)) {
                Some(bytes) => parse_raw(bytes).map(|_| ()),
                None => Err(DriverError::InvalidParameter(
                    "Parameter raw_bytes (string of bytes) was not specified.".into(),
                )),
            },
            other => Err(DriverError::InvalidParameter(format!(
                "No handler for method {other}"
            ))),
        }
    }

    async fn call(
        &self,
        _lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        Vendor::check(self, method, arguments)?;
        if method == SEND_RAW {
            let bytes = arguments.get(RAW_BYTES).unwrap_or(&Value::Null);
            self.send_raw(machine, bytes).await?;
        } else {
            let is_warm = arguments.get("warm").is_none_or(bool_from_string);
            self.reset(machine, is_warm).await?;
        }
        Ok(Value::Null)
    }
}

impl IpmiVendor {
    async fn send_raw(&self, machine: &Machine<'_>, bytes: &Value) -> Result<(), DriverError> {
        let request = parse_raw(bytes)?;
        let info = self.0.info(machine)?;
        let talk = self.0.talk(&info, "raw").await?;
        // Nobody knows what the request does.
        talk.ask_once(&request).await.map(|_| ())
    }

    async fn reset(&self, machine: &Machine<'_>, is_warm: bool) -> Result<(), DriverError> {
        let info = self.0.info(machine)?;
        let operation = if is_warm {
            "bmc reset warm"
        } else {
            "bmc reset cold"
        };
        let talk = self.0.talk(&info, operation).await?;
        let (code, _) = talk.try_ask(&device::reset(is_warm), Again::No).await?;
        // The session is gone with the BMC's memory.
        talk.hang_up().await;
        if code == Completion::OK {
            Ok(())
        } else {
            Err(talk.answered(code))
        }
    }
}

/// A request from the bytes that ipmitool takes: the function, the command, its data.
fn parse_raw(value: &Value) -> Result<Request, DriverError> {
    let text = pyrepr::to_str(value);
    let invalid = |why: String| DriverError::InvalidParameter(why);
    let bytes = text.split_whitespace().map(|word| {
        parse_byte(word).ok_or_else(|| {
            invalid(format!(
                "Parameter raw_bytes holds '{word}', which is no number from 0 to 0xff."
            ))
        })
    });
    let bytes: Vec<u8> = bytes.collect::<Result<_, _>>()?;
    let [function, command, ref data @ ..] = bytes[..] else {
        return Err(invalid(
            "Parameter raw_bytes must hold the network function and the command at least.".into(),
        ));
    };
    if function > HIGHEST_FUNCTION || function & 1 == 1 {
        return Err(invalid(format!(
            "Parameter raw_bytes begins with {function:#04x}, which is no network function of a request."
        )));
    }
    Ok(Request::new(NetFn(function), command, data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn raw_bytes_are_read() {
        let request = parse_raw(&json!("0x00 0x08  3 0x08")).unwrap();
        assert_eq!(request, Request::new(NetFn(0), 8, [3, 8]));
        for text in ["0x00", "0x00 0x100", "0x00 x", "0x01 0x02", "0x40 0x01"] {
            assert!(parse_raw(&json!(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn methods_say_what_they_miss() {
        let vendor = IpmiVendor(Arc::new(Ipmi::new(super::super::IpmiSettings::default())));
        let check = |method: &str, value: Value| {
            let arguments = value.as_object().unwrap();
            let checked = Vendor::check(&vendor, method, arguments);
            checked.map_err(|error| error.to_string())
        };
        assert_eq!(check(BMC_RESET, json!({})), Ok(()));
        assert_eq!(check(SEND_RAW, json!({"raw_bytes": "6 1"})), Ok(()));
        assert_eq!(
            check(SEND_RAW, json!({})).unwrap_err(),
            "Parameter raw_bytes (string of bytes) was not specified."
        );
        assert_eq!(
            check("dance", json!({})).unwrap_err(),
            "No handler for method dance"
        );
        let names: Vec<String> = vendor.methods().into_iter().map(|m| m.name).collect();
        assert!(names.is_sorted());
    }
}
