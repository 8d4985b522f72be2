//! Accounts: the same that IPMI knows, with roles in the place of privilege levels.

use crate::{
    machine::account::User,
    redfish::{
        answer::Answer,
        auth,
        body::Fields,
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use hyper::StatusCode;
use proto::ipmi::Privilege;
use serde_json::{Value, json};

const ROLES: [&str; 3] = ["Administrator", "Operator", "ReadOnly"];

pub(crate) fn service(call: &Call<'_>) -> Result<Value, Problem> {
    let faults = call.host().faults();
    let mut body = call.resource(
        "#AccountService.v1_15_0.AccountService",
        "AccountService",
        "Account Service",
    );
    add(
        &mut body,
        json!({
            "Status": healthy(),
            "ServiceEnabled": true,
            "AccountLockoutThreshold": faults.lockout_after.unwrap_or_default(),
            "AccountLockoutDuration": faults.lockout_seconds,
            "Accounts": link("/redfish/v1/AccountService/Accounts"),
            "Roles": link("/redfish/v1/AccountService/Roles"),
        }),
    );
    Ok(body)
}

pub(crate) fn roles(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection("RoleCollection", "Roles Collection", ROLES))
}

pub(crate) fn role(call: &Call<'_>) -> Result<Value, Problem> {
    let id = call.param("role");
    let privileges: &[&str] = match id {
        "Administrator" => &[
            "Login",
            "ConfigureManager",
            "ConfigureUsers",
            "ConfigureSelf",
            "ConfigureComponents",
        ],
        "Operator" => &["Login", "ConfigureSelf", "ConfigureComponents"],
        "ReadOnly" => &["Login", "ConfigureSelf"],
        _ => return Err(call.absent()),
    };
    let mut body = call.resource("#Role.v1_3_1.Role", id, "User Role");
    add(
        &mut body,
        json!({"RoleId": id, "IsPredefined": true, "AssignedPrivileges": privileges}),
    );
    Ok(body)
}

/// The number of an account; the first is 2, as over IPMI.
fn number(index: usize) -> usize {
    index + 2
}

fn index(call: &Call<'_>) -> Result<usize, Problem> {
    let number: usize = call.param("account").parse().map_err(|_| call.absent())?;
    let index = number
        .checked_sub(2)
        .filter(|index| *index < call.host().users().len());
    index.ok_or_else(|| call.absent())
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let numbers = (0..call.host().users().len()).map(number);
    Ok(call.collection("ManagerAccountCollection", "Accounts Collection", numbers))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let index = index(call)?;
    let users = call.host().users();
    Ok(account(call, call.path, index, &users[index]))
}

fn account(call: &Call<'_>, uri: &str, index: usize, user: &User) -> Value {
    let role = match user.privilege {
        Privilege::Administrator | Privilege::Oem => ROLES[0],
        Privilege::Operator => ROLES[1],
        Privilege::User | Privilege::Callback => ROLES[2],
    };
    let is_locked = call.host().user(&user.name) == Err(crate::machine::account::Denied::Locked);
    json!({
        "@odata.id": uri,
        "@odata.type": "#ManagerAccount.v1_12_0.ManagerAccount",
        "Id": number(index).to_string(),
        "Name": "User Account",
        "UserName": user.name,
        "Password": null,
        "RoleId": role,
        "Enabled": user.is_enabled,
        "Locked": is_locked,
        "AccountTypes": ["Redfish", "IPMI"],
        "Links": {"Role": link(&format!("/redfish/v1/AccountService/Roles/{role}"))},
    })
}

/// What is asked for, of an account that is made or changed.
struct AccountChange {
    name: Option<String>,
    password: Option<String>,
    privilege: Option<Privilege>,
    is_enabled: Option<bool>,
}

fn wanted(call: &Call<'_>, current: &Value) -> Result<AccountChange, Problem> {
    let mut fields = Fields::of(call.body)?;
    let wanted = AccountChange {
        name: fields.text("UserName")?,
        password: fields.text("Password")?,
        privilege: fields.choice("RoleId", &ROLES)?.map(privilege),
        is_enabled: fields.flag("Enabled")?,
    };
    // Whether it is locked follows from what was tried.
    fields.flag("Locked")?;
    fields.end(current)?;
    let is_bad = |text: &String, longest| text.is_empty() || text.len() > longest;
    if let Some(name) = wanted.name.as_ref().filter(|name| is_bad(name, 16)) {
        return Err(
            Problem::new("PropertyValueFormatError", &[name, "UserName"]).about("UserName"),
        );
    }
    if wanted
        .password
        .as_ref()
        .is_some_and(|password| is_bad(password, 20))
    {
        return Err(
            Problem::new("PropertyValueFormatError", &["******", "Password"]).about("Password"),
        );
    }
    Ok(wanted)
}

fn privilege(role: &str) -> Privilege {
    match role {
        "Administrator" => Privilege::Administrator,
        "Operator" => Privilege::Operator,
        _ => Privilege::User,
    }
}

pub(crate) fn create(call: &Call<'_>) -> Result<Answer, Problem> {
    let wanted = wanted(call, &Value::Null)?;
    let user = User {
        name: wanted.name.ok_or_else(|| Problem::missing("UserName"))?,
        password: wanted
            .password
            .ok_or_else(|| Problem::missing("Password"))?,
        privilege: wanted.privilege.ok_or_else(|| Problem::missing("RoleId"))?,
        is_enabled: wanted.is_enabled.unwrap_or(true),
    };
    let index = call.host().change_users(|users| {
        if users.iter().any(|known| known.name == user.name) {
            return Err(Problem::said(
                StatusCode::BAD_REQUEST,
                "the user exists already",
            ));
        }
        users.push(user.clone());
        Ok(users.len() - 1)
    })?;
    let uri = format!("{}/{}", call.path, number(index));
    let body = account(call, &uri, index, &user);
    Ok(Answer::created(uri, body))
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let index = index(call)?;
    let users = call.host().users();
    let is_own = call.user.is_some_and(|user| user.name == users[index].name);
    let is_administrator = call
        .user
        .is_some_and(|user| user.privilege >= Privilege::Administrator);
    let wanted = wanted(call, &show(call)?)?;
    let is_only_password =
        wanted.name.is_none() && wanted.privilege.is_none() && wanted.is_enabled.is_none();
    if !(is_administrator || is_own && is_only_password) {
        return Err(Problem::new("InsufficientPrivilege", &[]));
    }
    call.host().change_users(|users| {
        let Some(user) = users.get_mut(index) else {
            return;
        };
        user.name = wanted.name.unwrap_or_else(|| user.name.clone());
        user.password = wanted.password.unwrap_or_else(|| user.password.clone());
        user.privilege = wanted.privilege.unwrap_or(user.privilege);
        user.is_enabled = wanted.is_enabled.unwrap_or(user.is_enabled);
    });
    Ok(Answer::ok(show(call)?))
}

pub(crate) fn delete(call: &Call<'_>) -> Result<Answer, Problem> {
    let index = index(call)?;
    let may = call.user.is_some_and(auth::may_change);
    if !may || call.host().users().len() == 1 {
        return Err(Problem::new("ResourceCannotBeDeleted", &[]));
    }
    call.host().change_users(|users| users.remove(index));
    Ok(Answer::nothing())
}
