//! Which rights a command needs.

use proto::ipmi::{
    Privilege,
    command::{boot, channel, chassis, device, fru, sel},
    message::{NetFn, SEND_MESSAGE},
};

/// The least privilege with which a command may be asked. Reading is for everybody who has a
/// session, what changes the machine for operators, what changes the BMC for administrators.
pub(super) fn needed(netfn: NetFn, command: u8) -> Privilege {
    use Privilege::{Administrator, Callback, Operator, User};
    match (netfn, command) {
        _ if is_about_sessions(netfn, command) => Callback,
        (NetFn::CHASSIS, chassis::CONTROL | chassis::IDENTIFY) => Operator,
        (NetFn::CHASSIS, boot::SET_OPTIONS | boot::GET_OPTIONS | 0x06) => Operator,
        (NetFn::APP, device::COLD_RESET | device::WARM_RESET) => Administrator,
        // Users and channels: changed by administrators, looked at by operators.
        (NetFn::APP, 0x40 | 0x43 | 0x45 | 0x47 | 0x4c) => Administrator,
        (NetFn::APP, 0x44 | 0x46) => Operator,
        (NetFn::APP, SEND_MESSAGE) => User,
        (NetFn::SENSOR, 0x26) => Operator,
        (NetFn::STORAGE, fru::WRITE | sel::ADD_ENTRY | sel::CLEAR | 0x46 | 0x49) => Operator,
        (NetFn::TRANSPORT, 0x01 | 0x21) => Administrator,
        (NetFn::TRANSPORT, 0x02) => Operator,
        _ => User,
    }
}

/// Whether a command is about the conversation itself.
pub(super) fn is_about_sessions(netfn: NetFn, command: u8) -> bool {
    let commands = [
        channel::GET_CAPABILITIES,
        channel::GET_CHALLENGE,
        channel::ACTIVATE_SESSION,
        channel::SET_PRIVILEGE,
        device::CLOSE_SESSION,
        channel::GET_CIPHER_SUITES,
    ];
    netfn == NetFn::APP && commands.contains(&command)
}
