//! A new password for the account that the service logs in to a BMC with.
//!
//! Neither password is ever thrown away before the BMC has taken the other one:
//!
//! 1. a login shows that the BMC takes the old one;
//! 2. the new one is stored in the node's row, sealed, as pending;
//! 3. the BMC is told;
//! 4. a session of its own shows that it takes it;
//! 5. in one transaction it becomes the one in `driver_info`, and nothing is pending any more.
//!
//! After a crash, a pending password in the row does not tell whether the BMC has it. So both are
//! tried: the pending password first, then the old one, each of them once. BMCs lock an account after a few
//! wrong passwords in a row (iDRAC after three within a minute, others after five), and a right one
//! starts the count anew; so a decision costs one wrong password at most, unless both are wrong.
//! Then, and where the BMC cannot be asked, both stay in the row and the node goes into maintenance,
//! in which the service does not talk to it by itself. The next change begins with the decision.

use crate::{
    core::Core,
    flow, lock,
    task::{Stop, Task},
};
use drivers::{
    DriverError,
    bmc_account::{Account, BmcAccount, BmcPassword, LoginAnswer},
    iface::{Hardware, Machine},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use types::{
    Caller, Fault, Node, NodeId, Work, bmc_password::PasswordLength, event::EventKind, mask::MASK,
    pyrepr,
};

/// How long to wait before a BMC that does not answer is asked again: some restart a part of
/// themselves when an account changes.
const SILENCE_PAUSES: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
];

/// How long to wait for a BMC that was told a password and does not take it yet.
const CHANGE_PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(3)];

/// One of the two passwords.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    New,
    Old,
}

impl Which {
    fn other(self) -> Self {
        match self {
            Self::New => Self::Old,
            Self::Old => Self::New,
        }
    }
}

/// Both passwords, and where the old one is.
struct Passwords {
    account: Account,
    new: BmcPassword,
    old: BmcPassword,
}

/// What the BMC answers to them.
enum Decision {
    Has(Which),
    /// It takes neither, or cannot be asked.
    Open(DriverError),
}

impl Core {
    pub(crate) async fn rotate_bmc_password(
        self: &Arc<Self>,
        who: &Caller,
        id: NodeId,
        length: PasswordLength,
    ) -> Result<(), Fault> {
        let mut node = self.load_free(id).await?;
        self.check_host(&node.driver, &node.conductor_group)?;
        let hardware = self.hardware(&node)?;
        let account = self
            .ask(&mut node, async |machine| account(&hardware, machine))
            .await?;
        self.check_sole_user(&node, &account).await?;
        self.exclusively_for(Work::BmcPassword, id, who, move |mut task| async move {
            let answer = rotate(&mut task, length).await;
            (task, answer)
        })
        .await
    }

    /// Fails if another node, or another key of this one, has a password of the same account: it would
    /// be wrong after the change.
    async fn check_sole_user(&self, node: &Node, account: &Account) -> Result<(), Fault> {
        let found = store::bmc::mentioning(&self.db, &account.host).await;
        let found = found.map_err(|error| lock::fault(error, node.id))?;
        let mut others = Vec::new();
        for user in found {
            let accounts = Account::all_in(&user.driver_info);
            let same = accounts.iter().find(|other| {
                account.may_be(other) && (user.id != node.id || account.key != other.key)
            });
            if let Some(same) = same {
                let name = user.name.unwrap_or_else(|| user.id.to_string());
                others.push(format!("{} of node {name}", same.key));
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        Err(Fault::Duplicate(format!(
            "The password of the {account} cannot be changed: it is also {}.",
            others.join(", ")
        )))
    }
}

fn bmc(hardware: &Hardware) -> Result<&dyn BmcAccount, DriverError> {
    let bmc = hardware.management.bmc_account();
    bmc.ok_or(DriverError::Unsupported {
        what: "changing the password of the BMC",
    })
}

fn account(hardware: &Hardware, machine: &Machine<'_>) -> Result<Account, DriverError> {
    bmc(hardware)?.account(machine)
}

/// Changes the password while the client waits.
async fn rotate(task: &mut Task, length: PasswordLength) -> Result<(), Fault> {
    settle(task).await.map_err(|_| Fault::Unavailable)??;
    check_present(task)
        .await
        .map_err(|error| flow::fault(&task.node, &error))?;
    let new = BmcPassword::random(length);
    let new = new.map_err(|error| flow::fault(&task.node, &error))?;
    let info = &mut task.node.driver_internal_info;
    info.set_pending_bmc_password(new.expose());
    let story = task.story();
    if task.save(story).await.is_err() {
        // The BMC was not told.
        task.node.driver_internal_info.forget_pending_bmc_password();
        return Err(Fault::Unavailable);
    }
    let hardware = task.hardware.clone();
    let told = match (bmc(&hardware), task.hands()) {
        (Ok(bmc), Ok((lease, machine))) => bmc.set_password(lease, &machine, &new).await,
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    let concluded = conclude(task, new, told).await;
    concluded.map_err(|_| Fault::Unavailable)?
}

/// Fails unless the BMC takes the present password: otherwise nothing could be changed, and one wrong
/// password is less than a whole change would send.
async fn check_present(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let key = account(&hardware, &task.machine())?.key;
    let present = task.driver_info().get(key).map(pyrepr::to_str);
    let present = BmcPassword::known(present.unwrap_or_default());
    match log_in(task, &present).await? {
        LoginAnswer::Accepted => Ok(()),
        LoginAnswer::Refused(error) => Err(error),
    }
}

/// What `rotate` does after the BMC was told, or did not want to be.
async fn conclude(
    task: &mut Task,
    new: BmcPassword,
    told: Result<(), DriverError>,
) -> Result<Result<(), Fault>, Stop> {
    if matches!(told, Err(DriverError::LeaseLapsed)) {
        // The next owner of the node asks the BMC.
        return Err(Stop::LeaseLost);
    }
    let is_refused = matches!(
        told,
        Err(DriverError::Rejected(_)
            | DriverError::Refused(_)
            | DriverError::InvalidParameter(_)
            | DriverError::Unsupported { .. })
    );
    let passwords = match both(task, new) {
        Ok(passwords) => passwords,
        Err(error) => return leave_open(task, &error).await.map(Err),
    };
    let first = if is_refused { Which::Old } else { Which::New };
    let mut pauses = CHANGE_PAUSES.iter();
    let decision = loop {
        let decision = decide(task, &passwords, first).await;
        let pause = match &decision {
            Decision::Has(Which::Old) if !is_refused => pauses.next(),
            _ => None,
        };
        match pause {
            // A stop waits for these seconds: what is decided now need not be found out later.
            Some(pause) => tokio::time::sleep(*pause).await,
            None => break decision,
        }
    };
    match decision {
        Decision::Has(Which::New) => {
            adopt(task, &passwords).await?;
            Ok(Ok(()))
        }
        Decision::Has(Which::Old) => {
            let why = match told {
                Ok(()) => "the BMC accepted the new password and did not keep it".to_owned(),
                Err(error) => flow::reason(&task.node, &error),
            };
            // A BMC may repeat what it was sent.
            let why = why.replace(passwords.new.expose(), MASK);
            let text = format!("The password of the BMC was not changed: {why}");
            keep_old(task, &text).await?;
            Ok(Err(Fault::Hardware(text)))
        }
        Decision::Open(error) => leave_open(task, &error).await.map(Err),
    }
}

/// Takes up a change that was interrupted.
pub(crate) async fn resume(task: &mut Task) -> Result<(), Stop> {
    // Why it could not be decided is in the row.
    let _told = settle(task).await?;
    let story = task.story();
    task.end(story).await
}

/// Finds out which password the BMC has, if a new one is pending.
async fn settle(task: &mut Task) -> Result<Result<(), Fault>, Stop> {
    let Some(sealed) = task.node.driver_internal_info.pending_bmc_password() else {
        return Ok(Ok(()));
    };
    let opened = task.core.db.keys().open(sealed, &task.id().to_string());
    let opened = opened.map_err(|error| task.closed("the node", &error));
    let new = opened.map(|new| BmcPassword::known(pyrepr::to_str(&new)));
    let passwords = match new.and_then(|new| both(task, new)) {
        Ok(passwords) => passwords,
        Err(error) => return leave_open(task, &error).await.map(Err),
    };
    match decide(task, &passwords, Which::New).await {
        Decision::Has(Which::New) => adopt(task, &passwords).await.map(Ok),
        Decision::Has(Which::Old) => {
            let text = "A change of the BMC's password was interrupted: the old one is in use";
            keep_old(task, text).await.map(Ok)
        }
        Decision::Open(error) => leave_open(task, &error).await.map(Err),
    }
}

/// The new password, and the one in `driver_info`.
fn both(task: &mut Task, new: BmcPassword) -> Result<Passwords, DriverError> {
    let hardware = task.hardware.clone();
    let account = account(&hardware, &task.machine())?;
    let old = task.driver_info().get(account.key).map(pyrepr::to_str);
    Ok(Passwords {
        account,
        new,
        old: BmcPassword::known(old.unwrap_or_default()),
    })
}

/// Tries one password and, if the BMC does not take it, the other.
async fn decide(task: &mut Task, both: &Passwords, first: Which) -> Decision {
    let mut refusal = None;
    for which in [first, first.other()] {
        let password = match which {
            Which::New => &both.new,
            Which::Old => &both.old,
        };
        match log_in(task, password).await {
            Ok(LoginAnswer::Accepted) => return Decision::Has(which),
            Ok(LoginAnswer::Refused(error)) => refusal = Some(error),
            Err(error) => return Decision::Open(error),
        }
    }
    let unknown = || DriverError::InvalidParameter("no password was tried".to_owned());
    Decision::Open(refusal.unwrap_or_else(unknown))
}

/// Logs in once, or as soon as the BMC answers.
async fn log_in(task: &mut Task, password: &BmcPassword) -> Result<LoginAnswer, DriverError> {
    let hardware = task.hardware.clone();
    let mut pauses = SILENCE_PAUSES.iter();
    loop {
        let answer = match bmc(&hardware) {
            Ok(bmc) => bmc.log_in(&task.machine(), password).await,
            Err(error) => Err(error),
        };
        match (answer, pauses.next()) {
            (Err(error), Some(pause)) if error.may_pass() => tokio::time::sleep(*pause).await,
            (answer, _) => return answer,
        }
    }
}

/// The BMC takes the new password: from now on it is the one in `driver_info`.
async fn adopt(task: &mut Task, Passwords { account, new, .. }: &Passwords) -> Result<(), Stop> {
    task.set_driver_secret(account.key, new.expose());
    task.node.driver_internal_info.forget_pending_bmc_password();
    let text = format!("the password of the {account} was changed");
    tracing::info!(node = %task.id(), "{text}");
    let mut story = task.story();
    let data = json!({"bmc_account": "changed"});
    story.tell(&task.node, EventKind::Updated, text, data);
    task.save(story).await
}

/// The BMC takes the old password, so the new one is of no use.
async fn keep_old(task: &mut Task, text: &str) -> Result<(), Stop> {
    task.node.driver_internal_info.forget_pending_bmc_password();
    tracing::warn!(node = %task.id(), "{}", types::mask::text(text));
    let mut story = task.story();
    let data = json!({"bmc_account": "kept"});
    story.tell(&task.node, EventKind::Warning, text, data);
    task.save(story).await
}

/// Which password the BMC has is unknown: both are kept, and neither is tried again before the next
/// request to change the password.
async fn leave_open(task: &mut Task, error: &DriverError) -> Result<Fault, Stop> {
    if matches!(error, DriverError::LeaseLapsed) {
        return Err(Stop::LeaseLost);
    }
    let why = flow::reason(&task.node, error);
    let text = format!(
        "It cannot be told whether the BMC has its new password; the old and the new one are both \
         kept, and the next change of the password begins with trying them: {why}"
    );
    let mut story = task.story();
    task.error(&mut story, "bmc password", &text);
    if !task.node.maintenance {
        let most = task.settings().log_in_db_max_size;
        task.node.maintenance = true;
        task.node.maintenance_reason = Some(crate::record::truncated(&text, most));
        story.maintenance(&task.node);
    }
    task.save(story).await?;
    Ok(Fault::Hardware(text))
}
