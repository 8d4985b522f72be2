//! What the `intel-ipmitool` management interface has besides that of every BMC: a step that
//! chooses a performance profile of Intel's processors (Speed Select).

use super::Ipmi;
use crate::{DriverError, Failure, iface::Machine};
use proto::ipmi::message::{NetFn, Request};
use types::{
    JsonMap, pyrepr,
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

const SPEED_SELECT: &str = "configure_intel_speedselect";
const CONFIG: &str = "intel_speedselect_config";
const SOCKETS: &str = "socket_count";

pub(super) const STEPS: &[StepSpec] = &[StepSpec {
    kind: StepKind::Deploy,
    step: SPEED_SELECT,
    priority: 200,
    abortable: false,
    requires_ramdisk: true,
    args: &[
        ArgSpec {
            name: CONFIG,
            description: "Hexadecimal code of Intel SST-PP configuration provided. Input value should be string. Accepted values are 0x00, 0x01, 0x02.",
            required: true,
        },
        ArgSpec {
            name: SOCKETS,
            description: "Number of sockets. Input value should be a positive integer.",
            required: false,
        },
    ],
    on_restart: OnRestart::Repeat,
}];

/// Intel's functions.
const INTEL_OEM: NetFn = NetFn(0x2c);

pub(super) async fn run_step(
    ipmi: &Ipmi,
    machine: &Machine<'_>,
    step: &Step,
) -> Result<StepOutcome, DriverError> {
    if step.step != SPEED_SELECT {
        return Err(DriverError::no_step(step));
    }
    let (level, sockets) = speed_select(&step.args)?;
    let info = ipmi.info(machine)?;
    let talk = ipmi.talk(&info, "raw").await?;
    for socket in 0..sockets {
        let request = Request::new(INTEL_OEM, 0x41, [0x04, 0x00, socket, level]);
        talk.ask(&request).await.map_err(|error| {
            let why = types::error::chain(&error);
            error.variant()(Failure::new(format!(
                "Failed to set Intel SST-PP configuration level {level:#04x} on socket number {socket} due to reason {why}."
            )))
        })?;
    }
    Ok(StepOutcome::Done)
}

/// The level and the number of sockets that a step asks for.
fn speed_select(arguments: &JsonMap) -> Result<(u8, u8), DriverError> {
    let config = arguments.get(CONFIG).map(pyrepr::to_str);
    let level = match config.as_deref() {
        Some("0x00") => 0,
        Some("0x01") => 1,
        Some("0x02") => 2,
        other => {
            let other = other.unwrap_or("None");
            return Err(DriverError::InvalidParameter(format!(
                "Invalid Intel SST-PP configuration value {other} specified. Valid values are ['0x00', '0x01', '0x02']."
            )));
        }
    };
    let sockets = arguments.get(SOCKETS);
    let count = sockets.map_or(Some(1), |value| pyrepr::to_str(value).trim().parse().ok());
    match count {
        Some(count) if count > 0 => Ok((level, count)),
        _ => Err(DriverError::InvalidParameter(format!(
            "Invalid number of socket {} value specified. Expected a positive integer.",
            sockets.map(pyrepr::to_str).unwrap_or_default()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn speed_select_is_checked() {
        let read = |value: Value| {
            let arguments = value.as_object().unwrap();
            speed_select(arguments).map_err(|error| error.to_string())
        };
        assert_eq!(read(json!({CONFIG: "0x02"})), Ok((2, 1)));
        assert_eq!(read(json!({CONFIG: "0x01", SOCKETS: "4"})), Ok((1, 4)));
        assert_eq!(
            read(json!({CONFIG: "2"})).unwrap_err(),
            "Invalid Intel SST-PP configuration value 2 specified. Valid values are ['0x00', '0x01', '0x02']."
        );
        for sockets in [json!(0), json!(-1), json!("two")] {
            let text = read(json!({CONFIG: "0x00", SOCKETS: sockets})).unwrap_err();
            assert!(text.starts_with("Invalid number of socket"), "{text}");
        }
    }
}
