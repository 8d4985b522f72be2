//! `corten user`, `group`, `role` and `token`: people and scripts that the service itself knows.

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput, RecordOutput};
use crate::{Session, password, record};

/// What the help of these groups ends with.
pub(crate) const WHERE: &str = "\
These commands ask the service, like all others. With --config-file, --data-dir or --set they work on
the database of that configuration, on its host: so the first administrator is made.";

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new("user add", "Add a user, who has a password", UserAdd::run),
        Leaf::new("user list", "List users", UserList::run),
        Leaf::new(
            "user show",
            "Show a user, its groups and roles",
            UserShow::run,
        ),
        Leaf::new("user passwd", "Give a user another password", Passwd::run),
        Leaf::new("user disable", "Let users in no longer", Users::disable),
        Leaf::new("user enable", "Let users in again", Users::enable),
        Leaf::new(
            "user rm",
            "Remove users with their roles and tokens",
            Users::remove,
        ),
        Leaf::new(
            "user changes",
            "List who changed what about users",
            Changes::run,
        ),
        Leaf::new("group add", "Add a group", GroupAdd::run),
        Leaf::new("group list", "List groups", GroupList::run),
        Leaf::new(
            "group show",
            "Show a group, its members and roles",
            GroupShow::run,
        ),
        Leaf::new("group rm", "Remove groups with their roles", Groups::remove),
        Leaf::new("group join", "Put users into a group", Members::join),
        Leaf::new("group leave", "Take users out of a group", Members::leave),
        Leaf::new("role grant", "Give a user or a group a role", Role::grant),
        Leaf::new(
            "role revoke",
            "Take a role from a user or a group",
            Role::revoke,
        ),
        Leaf::new("role list", "List who has which role where", RoleList::run),
        Leaf::new(
            "token create",
            "Make a token, which is shown once",
            TokenCreate::run,
        ),
        Leaf::new("token list", "List tokens", TokenList::run),
        Leaf::new("token revoke", "Revoke tokens", Tokens::run),
    ]
}

/// These members of each thing in a list.
fn rows(answer: &Value, key: &str, columns: &[&str]) -> Vec<Vec<Value>> {
    let things = answer.get(key).and_then(Value::as_array);
    let row = |thing: &Value| {
        let cell = |column: &&str| thing.get(*column).cloned().unwrap_or_default();
        columns.iter().map(cell).collect()
    };
    things.into_iter().flatten().map(row).collect()
}

async fn list(
    session: &mut Session,
    output: &ListOutput,
    (call, key): (Call, &str),
    columns: &[&str],
) -> Result<(), Error> {
    let answer = session.client.send(&call).await?;
    let rows = rows(&answer, key, columns);
    output::print_list(&mut session.console, output, columns, rows)
}

/// A record with its roles as texts.
async fn show(session: &mut Session, output: &RecordOutput, path: &[&str]) -> Result<(), Error> {
    let answer = session.client.send(&Call::own(Method::GET, path)?).await?;
    let mut shown = record(answer, &[])?;
    if let Some(Value::Array(roles)) = shown.get_mut("roles") {
        for role in roles {
            let text = |name: &str| role.get(name).and_then(Value::as_str).unwrap_or_default();
            *role = json!(format!("{} in {}", text("role"), text("place")));
        }
    }
    output::print_record(&mut session.console, output, &shown)
}

/// Does the same to each of several things, and tells of each.
async fn each(
    session: &mut Session,
    names: &[String],
    what: &str,
    call: impl Fn(&str) -> Result<Call, Error>,
) -> Result<(), Error> {
    let mut errors = Vec::new();
    for name in names {
        match session.client.send(&call(name)?).await {
            Ok(_) => session.console.line(&format!("{what} {name}"))?,
            Err(error) => errors.push(error.about(name.clone())),
        }
    }
    Error::all(errors)
}

#[derive(Debug, Args)]
#[command(after_help = "\
The password is asked for, or is the first line of the input. With --file, or the configuration of a
service with auth_strategy=http_basic, the user is one of that file (as `htpasswd -B` writes it), and
gets another password if it is there already.

Examples:
  corten user add ada --admin --config-file /etc/corten/corten.conf
  corten user add ada --description 'Ada, of the storage team'
  corten user add backup --no-password
  corten user add ada --file ./users < password
")]
struct UserAdd {
    /// Name of the user
    name: String,
    /// Who it is
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Make it an administrator of the whole system
    #[arg(long)]
    admin: bool,
    /// It only gets tokens
    #[arg(long)]
    no_password: bool,
}

impl UserAdd {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = Map::from_iter([("name".to_owned(), json!(self.name))]);
        if let Some(description) = self.description {
            body.insert("description".into(), json!(description));
        }
        if !self.no_password {
            body.insert("password".into(), json!(password::new()?));
        }
        let call = Call::own(Method::POST, &["users"])?.body(body);
        let grant = format!("corten role grant admin --system --user {}", self.name);
        session.client.send(&call).await.map_err(|error| {
            match self.admin && error.status() == Some(409) {
                // Perhaps an earlier run was cut off between user and role.
                true => error.with_hint(format!("`{grant}` makes it an administrator")),
                false => error,
            }
        })?;
        session.console.line(&format!("Added user {}", self.name))?;
        if self.admin {
            let body = json!({"user": self.name, "role": "admin", "system": true});
            let call = Call::own(Method::PUT, &["roles"])?.body(body);
            let granted = session.client.send(&call).await;
            granted.map_err(|error| {
                error.with_hint(format!("the user is there, without a role: `{grant}`"))
            })?;
            let text = format!("{} is administrator of the system now", self.name);
            session.console.line(&text)?;
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
struct UserList {
    #[command(flatten)]
    output: ListOutput,
}

impl UserList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["users"])?;
        let columns = [
            "name",
            "description",
            "enabled",
            "has_password",
            "created_at",
        ];
        list(session, &self.output, (call, "users"), &columns).await
    }
}

#[derive(Debug, Args)]
struct UserShow {
    /// Name of the user
    name: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl UserShow {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        show(session, &self.output, &["users", &self.name]).await
    }
}

#[derive(Debug, Args)]
struct Passwd {
    /// Name of the user
    name: String,
}

impl Passwd {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let body = json!({"password": password::new()?});
        let path = ["users", &*self.name, "password"];
        let call = Call::own(Method::PUT, &path)?.body(body);
        session.client.send(&call).await?;
        let text = format!("{} has another password now", self.name);
        session.console.line(&text)
    }
}

#[derive(Debug, Args)]
struct Users {
    /// Names of users
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

impl Users {
    async fn switch(self, session: &mut Session, enabled: bool, what: &str) -> Result<(), Error> {
        each(session, &self.names, what, |name| {
            let call = Call::own(Method::PATCH, &["users", name])?;
            Ok(call.body(json!({"enabled": enabled})))
        })
        .await
    }

    async fn disable(self, session: &mut Session) -> Result<(), Error> {
        self.switch(session, false, "Disabled user").await
    }

    async fn enable(self, session: &mut Session) -> Result<(), Error> {
        self.switch(session, true, "Enabled user").await
    }

    async fn remove(self, session: &mut Session) -> Result<(), Error> {
        each(session, &self.names, "Removed user", |name| {
            Call::own(Method::DELETE, &["users", name])
        })
        .await
    }
}

#[derive(Debug, Args)]
struct Changes {
    /// How many at most
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    output: ListOutput,
}

impl Changes {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["account-changes"])?.query("limit", self.limit);
        let columns = ["at", "actor", "text"];
        list(session, &self.output, (call, "account_changes"), &columns).await
    }
}

#[derive(Debug, Args)]
struct GroupAdd {
    /// Name of the group
    name: String,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
}

impl GroupAdd {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let body = match self.description {
            Some(description) => json!({"name": self.name, "description": description}),
            None => json!({"name": self.name}),
        };
        let call = Call::own(Method::POST, &["groups"])?.body(body);
        session.client.send(&call).await?;
        session.console.line(&format!("Added group {}", self.name))
    }
}

#[derive(Debug, Args)]
struct GroupList {
    #[command(flatten)]
    output: ListOutput,
}

impl GroupList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["groups"])?;
        let columns = ["name", "description", "created_at"];
        list(session, &self.output, (call, "groups"), &columns).await
    }
}

#[derive(Debug, Args)]
struct GroupShow {
    /// Name of the group
    name: String,
    #[command(flatten)]
    output: RecordOutput,
}

impl GroupShow {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        show(session, &self.output, &["groups", &self.name]).await
    }
}

#[derive(Debug, Args)]
struct Groups {
    /// Names of groups
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
}

impl Groups {
    async fn remove(self, session: &mut Session) -> Result<(), Error> {
        each(session, &self.names, "Removed group", |name| {
            Call::own(Method::DELETE, &["groups", name])
        })
        .await
    }
}

#[derive(Debug, Args)]
struct Members {
    /// Name of the group
    group: String,
    /// Names of users
    #[arg(required = true, value_name = "USER")]
    users: Vec<String>,
}

impl Members {
    async fn change(self, session: &mut Session, method: Method, what: &str) -> Result<(), Error> {
        let group = &self.group;
        let what = format!("Group {group} {what}");
        each(session, &self.users, &what, |user| {
            Call::own(method.clone(), &["groups", group, "members", user])
        })
        .await
    }

    async fn join(self, session: &mut Session) -> Result<(), Error> {
        self.change(session, Method::PUT, "has").await
    }

    async fn leave(self, session: &mut Session) -> Result<(), Error> {
        self.change(session, Method::DELETE, "is left by").await
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
The roles that the usual policy knows are admin, manager, member, reader and service; each of the
first four includes those after it. A project is the text that stands in owner or lessee of nodes.

Examples:
  corten role grant admin --user ada --system
  corten role grant member --group storage --project P1
")]
struct Role {
    /// admin, manager, member, reader, service, or another that policy files name
    role: String,
    #[command(flatten)]
    holder: Holder,
    #[command(flatten)]
    place: SomePlace,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Holder {
    /// A user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// A group
    #[arg(long, value_name = "NAME")]
    group: Option<String>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct SomePlace {
    /// In this project
    #[arg(long, value_name = "PROJECT")]
    project: Option<String>,
    /// In the whole system
    #[arg(long)]
    system: bool,
}

impl Role {
    async fn grant(self, session: &mut Session) -> Result<(), Error> {
        let mut body = Map::from_iter([("role".to_owned(), json!(self.role))]);
        for (name, value) in [
            ("user", self.holder.user),
            ("group", self.holder.group),
            ("project", self.place.project),
        ] {
            if let Some(value) = value {
                body.insert(name.to_owned(), json!(value));
            }
        }
        if self.place.system {
            body.insert("system".to_owned(), json!(true));
        }
        let call = Call::own(Method::PUT, &["roles"])?.body(body);
        session.client.send(&call).await.map(|_| ())
    }

    async fn revoke(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::DELETE, &["roles"])?
            .query("role", self.role)
            .query_if("user", self.holder.user)
            .query_if("group", self.holder.group)
            .query_if("project", self.place.project)
            .query_if("system", self.place.system.then_some(true));
        session.client.send(&call).await.map(|_| ())
    }
}

#[derive(Debug, Args)]
struct RoleList {
    #[command(flatten)]
    output: ListOutput,
}

impl RoleList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["roles"])?;
        let columns = ["user", "group", "role", "project", "system"];
        list(session, &self.output, (call, "roles"), &columns).await
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
A token is never good for more than its owner is at that moment. It goes where a password or a token
of Keystone goes: OS_TOKEN, `Authorization: Bearer`, X-Auth-Token.

Examples:
  corten token create ci --role member --project P1 --days 30
  OS_TOKEN=corten_… corten node list
")]
struct TokenCreate {
    /// What it is called
    name: String,
    /// Whose it is; one's own if left out
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// No role beyond this one
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Good in this project only
    #[arg(long, value_name = "PROJECT", conflicts_with = "system")]
    project: Option<String>,
    /// Good for the whole system only
    #[arg(long)]
    system: bool,
    /// After how many days it ends [default: 90]
    #[arg(long, value_name = "NUMBER")]
    days: Option<u32>,
    /// It does not end
    #[arg(long, conflicts_with = "days")]
    forever: bool,
    #[command(flatten)]
    output: RecordOutput,
}

impl TokenCreate {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let mut body = Map::from_iter([("name".to_owned(), json!(self.name))]);
        for (name, value) in [
            ("user", self.user),
            ("role", self.role),
            ("project", self.project),
        ] {
            if let Some(value) = value {
                body.insert(name.to_owned(), json!(value));
            }
        }
        if self.system {
            body.insert("system".to_owned(), json!(true));
        }
        if let Some(days) = self.days {
            body.insert("days".to_owned(), json!(days));
        }
        if self.forever {
            body.insert("days".to_owned(), Value::Null);
        }
        let call = Call::own(Method::POST, &["tokens"])?.body(body);
        let made = record(session.client.send(&call).await?, &[])?;
        output::print_record(&mut session.console, &self.output, &made)
    }
}

#[derive(Debug, Args)]
struct TokenList {
    /// Those of this user; one's own if left out
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    user: Option<String>,
    /// Those of all users
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: ListOutput,
}

impl TokenList {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["tokens"])?
            .query_if("user", self.user)
            .query_if("all", self.all.then_some(true));
        let columns = [
            "uuid",
            "user",
            "name",
            "role",
            "project",
            "expires_at",
            "last_used_at",
        ];
        list(session, &self.output, (call, "tokens"), &columns).await
    }
}

#[derive(Debug, Args)]
struct Tokens {
    /// UUIDs of tokens
    #[arg(required = true, value_name = "UUID")]
    tokens: Vec<String>,
}

impl Tokens {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        each(session, &self.tokens, "Revoked token", |token| {
            Call::own(Method::DELETE, &["tokens", token])
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use crate::canned::{self, Answer, Canned, RecordedRequest};
    use crate::tests::{Ran, corten};
    use serde_json::{Value, json};

    fn ran(answer: Value, line: &str) -> (Ran, Vec<RecordedRequest>) {
        canned::run(async {
            let server = Canned::answers([Answer::new(200, answer)]).await;
            let ran = corten(&server, line).await;
            (ran, server.asked())
        })
    }

    #[test]
    fn what_is_said_is_what_is_sent() {
        for (line, request, body) in [
            (
                "user add ada --no-password --description d",
                "POST /corten/v1/users",
                json!({"name": "ada", "description": "d"}),
            ),
            (
                "user disable ada",
                "PATCH /corten/v1/users/ada",
                json!({"enabled": false}),
            ),
            ("user rm ada", "DELETE /corten/v1/users/ada", Value::Null),
            (
                "group join ops ada",
                "PUT /corten/v1/groups/ops/members/ada",
                Value::Null,
            ),
            (
                "role grant member --group ops --project P1",
                "PUT /corten/v1/roles",
                json!({"role": "member", "group": "ops", "project": "P1"}),
            ),
            (
                "role revoke admin --user ada --system",
                "DELETE /corten/v1/roles?role=admin&user=ada&system=true",
                Value::Null,
            ),
            (
                "token create ci --role reader --days 3",
                "POST /corten/v1/tokens",
                json!({"name": "ci", "role": "reader", "days": 3}),
            ),
            (
                "token create ci --forever --system",
                "POST /corten/v1/tokens",
                json!({"name": "ci", "system": true, "days": null}),
            ),
            (
                "token revoke u-1",
                "DELETE /corten/v1/tokens/u-1",
                Value::Null,
            ),
        ] {
            let (ran, asked) = ran(json!({}), line);
            assert_eq!(ran.code, 0, "{line}: {}", ran.notes);
            assert_eq!(
                (asked[0].line.as_str(), &asked[0].body),
                (request, &body),
                "{line}"
            );
        }
    }

    #[test]
    fn roles_are_shown_as_texts() {
        let user = json!({"name": "ada", "roles": [{"role": "admin", "place": "project:P1"}]});
        let (ran, _) = ran(user, "user show ada -f value -c roles");
        assert_eq!(ran.out, "[\"admin in project:P1\"]\n");
    }
}
