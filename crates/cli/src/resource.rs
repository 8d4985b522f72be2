//! Kinds of resources that are listed, shown, created, changed and deleted alike, as tables.
//!
//! The stock client repeats the same six commands for each kind; here a [`Resource`] says what is
//! special about one, and this module does the rest. Nodes use it as well, except for `set` and
//! `unset`, which take several nodes at once.

mod hardware;
mod node;
mod recipe;
mod service;

use std::collections::HashMap;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use reqwest::Method;
use serde_json::{Map, Value};

use crate::attribute::{Attribute, Chosen, Verb as Giving};
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::listing::{self, Filter, PageArgs};
use crate::node::Wait;
use crate::output::{self, ListOutput, RecordOutput, is_uuid};
use crate::patch::Operation;
use crate::{Session, record};

pub(crate) use node::{ATTRIBUTES as NODE_ATTRIBUTES, NODE};

/// Every kind there is, beside nodes.
pub(crate) const ALL: &[&Resource] = &[
    &hardware::PORT,
    &hardware::PORT_GROUP,
    &hardware::CHASSIS,
    &hardware::VOLUME_CONNECTOR,
    &hardware::VOLUME_TARGET,
    &recipe::ALLOCATION,
    &recipe::DEPLOY_TEMPLATE,
    &recipe::RUNBOOK,
    &recipe::INSPECTION_RULE,
    &service::SHARD,
    &service::DRIVER,
    &service::CONDUCTOR,
];

/// A kind of resource.
pub(crate) struct Resource {
    /// How its commands begin.
    words: &'static str,
    /// What messages call one.
    pub(crate) noun: &'static str,
    /// Its collection in the API, whose last word is also the key of lists.
    path: &'static str,
    /// What can name one.
    id: &'static str,
    /// The commands there are, and what their help says.
    verbs: &'static [(Verb, &'static str)],
    /// What a plain list shows.
    brief: &'static [&'static str],
    /// What a plain list does without on a narrow terminal if all of them have names, the first
    /// first.
    spare: &'static [&'static str],
    /// Whether a plain list on a terminal shows the node that each belongs to.
    shows_node: bool,
    /// What a long list shows.
    detailed: &'static [&'static str],
    /// What can be asked for by name beyond that.
    more: &'static [&'static str],
    /// How a long list is asked for.
    long: Long,
    /// Whether lists come in pages; the others can be neither limited nor sorted.
    paged: bool,
    filters: &'static [Filter],
    /// The option of `show` that names one by something else, and the filter that finds it.
    found_by: Option<(&'static str, &'static str)>,
    attributes: &'static [Attribute],
    /// Members that only lead elsewhere, and are not shown.
    links: &'static [&'static str],
    /// What is shown of a new one.
    created: Created,
    /// Whether `show` orders fields by name, and not as they were sent.
    sorted: bool,
    /// Lists of words are shown as words with commas between them, and lists are in order of name.
    joined: bool,
    /// A new one needs time to become what was asked for, so `create` can wait.
    settles: bool,
    examples: &'static str,
}

/// What most kinds have in common, for the others to be written as differences from it.
const PLAIN: Resource = Resource {
    words: "",
    noun: "",
    path: "",
    id: "Name or UUID",
    verbs: &[],
    brief: &[],
    spare: &[],
    shows_node: false,
    detailed: &[],
    more: &[],
    long: Long::Query,
    paged: true,
    filters: &[],
    found_by: None,
    attributes: &[],
    links: &["links"],
    created: Created::Detailed,
    sorted: true,
    joined: false,
    settles: false,
    examples: "",
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    List,
    Show,
    Create,
    Set,
    Unset,
    Delete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Long {
    /// The address ends in `/detail`.
    Path,
    /// The query says `detail=True`.
    Query,
    /// Lists always have everything in them.
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Created {
    /// The fields of a long list, in its order.
    Detailed,
    /// What the service sent.
    AsSent,
}

const FIELDS: &str = "fields";
const LONG: &str = "long";
const ONE: &str = "id";
const CHASSIS: &str = "chassis_uuid";

impl Resource {
    pub(crate) fn leaves(&'static self) -> impl Iterator<Item = Leaf> {
        self.verbs
            .iter()
            .map(|(verb, about)| self.leaf(*verb, about))
    }

    fn leaf(&'static self, verb: Verb, about: &'static str) -> Leaf {
        let word = match verb {
            Verb::List => "list",
            Verb::Show => "show",
            Verb::Create => "create",
            Verb::Set => "set",
            Verb::Unset => "unset",
            Verb::Delete => "delete",
        };
        let words = format!("{} {word}", self.words);
        match verb {
            Verb::List => Leaf::of_table(
                words,
                about,
                |command| self.list_args(command),
                |matches| self.read_list(matches),
                async |list, session| self.list(list, session).await,
            ),
            Verb::Show => Leaf::of_table(
                words,
                about,
                |command| self.show_args(command),
                |matches| self.read_show(matches),
                async |show, session| self.show(show, session).await,
            ),
            Verb::Create => Leaf::of_table(
                words,
                about,
                |command| self.create_args(command),
                |matches| self.read_create(matches),
                async |create, session| self.create(create, session).await,
            ),
            Verb::Set => self.change_leaf(words, about, Giving::Set),
            Verb::Unset => self.change_leaf(words, about, Giving::Unset),
            Verb::Delete => Leaf::of_table(
                words,
                about,
                |command| command.arg(self.id_arg().num_args(1..)),
                |matches| Ok(many(matches, ONE)),
                async |ids: Vec<String>, session| self.delete(&ids, session).await,
            ),
        }
    }

    fn change_leaf(&'static self, words: String, about: &'static str, verb: Giving) -> Leaf {
        Leaf::of_table(
            words,
            about,
            move |command| Chosen::args(self.attributes, verb, command.arg(self.id_arg())),
            move |matches| Ok((one(matches), Chosen::read(self.attributes, verb, matches))),
            async |(id, chosen): (String, Chosen), session| {
                self.change(&id, chosen.patch()?, session).await
            },
        )
    }

    /// Names what an error is about.
    pub(crate) fn about(&self, error: Error, id: &str) -> Error {
        error.about(format!("{} {id}", self.noun))
    }

    /// A request about the collection, or what these words name in it.
    fn call<'a>(
        &self,
        method: Method,
        below: impl IntoIterator<Item = &'a str>,
    ) -> Result<Call, Error> {
        let path: Vec<&str> = self.path.split('/').chain(below).collect();
        Call::new(method, &path)
    }

    fn key(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    fn id_arg(&self) -> Arg {
        let name = self.noun.to_uppercase().replace(' ', "_");
        Arg::new(ONE).value_name(name).required(true).help(self.id)
    }

    fn fields_arg(&self) -> Arg {
        let names: Vec<&str> = [self.detailed, self.more].concat();
        Arg::new(FIELDS)
            .long(FIELDS)
            .value_name("FIELD")
            .action(ArgAction::Append)
            .num_args(1..)
            .value_delimiter(',')
            .value_parser(clap::builder::PossibleValuesParser::new(names))
            .hide_possible_values(true)
            .help_heading("Output")
            .help("Fetch and show only these fields; a wrong name is answered with all there are")
    }
}

/// What `list` was told.
struct List {
    page: PageArgs,
    filters: Vec<(&'static str, String)>,
    long: bool,
    fields: Vec<String>,
    output: ListOutput,
}

impl Resource {
    fn list_args(&self, mut command: clap::Command) -> clap::Command {
        if self.paged {
            command = PageArgs::augment_args(command);
        }
        command = command.args(self.filters.iter().map(Filter::arg));
        if !self.detailed.is_empty() {
            command = command.arg(self.fields_arg()).arg(
                Arg::new(LONG)
                    .long(LONG)
                    .action(ArgAction::SetTrue)
                    .conflicts_with(FIELDS)
                    .help_heading("Output")
                    .help("Show everything about them"),
            );
        }
        ListOutput::augment_args(command)
    }

    fn read_list(&self, matches: &ArgMatches) -> Result<List, clap::Error> {
        Ok(List {
            page: if self.paged {
                PageArgs::from_arg_matches(matches)?
            } else {
                PageArgs::default()
            },
            filters: self
                .filters
                .iter()
                .filter_map(|filter| filter.read(matches))
                .collect(),
            long: matches!(matches.try_get_one::<bool>(LONG), Ok(Some(true))),
            fields: many(matches, FIELDS),
            output: ListOutput::from_arg_matches(matches)?,
        })
    }

    async fn list(&self, list: List, session: &mut Session) -> Result<(), Error> {
        if let Some((_, query)) = list.filters.iter().find(|(name, _)| *name == SEARCH) {
            return self.search(query.clone(), list, session).await;
        }
        let detail = (list.long && self.long == Long::Path).then_some("detail");
        let asked_for = list.long && self.long == Long::Query;
        let is_plain = !list.long && list.fields.is_empty();
        let room = list.output.room(&session.console).filter(|_| is_plain);
        let with_nodes = self.shows_node && room.is_some();
        let mut call = self.call(Method::GET, detail)?;
        call = match with_nodes {
            true => call.fields(&[self.brief, &["node_uuid"]].concat()),
            false => call.fields(&list.fields),
        };
        call = call.query_if("detail", asked_for.then_some("True"));
        for (query, value) in &list.filters {
            call = call.query(query, value);
        }
        let mut items = listing::fetch(session, call, self.key(), &list.page).await?;
        if self.joined {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                output::join_lists(item);
            }
            items.sort_by_key(|item| item.get("name").map(Value::to_string));
        }
        if with_nodes {
            name_nodes(session, &mut items).await;
            let shown = [self.brief, &["node"]].concat();
            return listing::print(session, &list.output, &shown, &items);
        }
        let asked: Vec<&str> = list.fields.iter().map(String::as_str).collect();
        let shown = match (list.long, asked.is_empty()) {
            (true, _) => self.detailed,
            (false, true) => self.brief,
            (false, false) => &asked,
        };
        let is_named = |item: &Value| item.get("name").is_some_and(Value::is_string);
        match room.filter(|_| items.iter().all(is_named)) {
            Some(room) => {
                let rows = listing::rows(shown, &items);
                let kept = output::fitting(shown, &rows, self.spare, Some(room));
                let shown: Vec<&str> = kept
                    .iter()
                    .filter_map(|&at| shown.get(at).copied())
                    .collect();
                listing::print(session, &list.output, &shown, &items)
            }
            None => listing::print(session, &list.output, shown, &items),
        }
    }
}

/// What a filter is called that is a query of ours, with which nothing else can be given.
pub(crate) const SEARCH: &str = "q";
/// How many nodes are asked for at a time.
const WINDOW: usize = 1000;

impl Resource {
    /// A list by a query, which the service answers in the order of names.
    async fn search(&self, query: String, list: List, session: &mut Session) -> Result<(), Error> {
        if list.filters.len() > 1 || list.long || list.page.is_given() {
            return Err(Error::usage(
                "--where goes with --fields and the output only: put all that is wanted into the query",
            ));
        }
        let asked: Vec<&str> = list.fields.iter().map(String::as_str).collect();
        let shown = if asked.is_empty() { self.brief } else { &asked };
        let mut items = Vec::new();
        loop {
            let call = Call::own(Method::GET, &[self.path])?
                .fields(shown)
                .query("q", &query)
                .query("limit", WINDOW)
                .query("offset", items.len());
            let mut answer = session.client.send(&call).await?;
            let total = answer.get("total").and_then(Value::as_u64).unwrap_or(0);
            let page = answer.get_mut(self.key()).map(Value::take);
            let page = page.and_then(|page| match page {
                Value::Array(page) => Some(page),
                _ => None,
            });
            let page = page.unwrap_or_default();
            let is_last = page.is_empty();
            items.extend(page);
            if is_last || items.len() as u64 >= total {
                break;
            }
        }
        listing::print(session, &list.output, shown, &items)
    }
}

/// Adds the name of the node that each belongs to, as far as one question tells; the UUID else.
async fn name_nodes(session: &Session, items: &mut [Value]) {
    let names = match Call::get(&["nodes"]) {
        Ok(call) => {
            session
                .client
                .send_once(&call.fields(&["uuid", "name"]))
                .await
        }
        Err(error) => Err(error),
    };
    // A list without names is better than none.
    let names = names.unwrap_or_default();
    let nodes = names.get("nodes").and_then(Value::as_array);
    let nodes: HashMap<&str, &Value> = nodes
        .into_iter()
        .flatten()
        .filter_map(|node| Some((node.get("uuid")?.as_str()?, node.get("name")?)))
        .collect();
    for item in items {
        let uuid = item.get("node_uuid").cloned().unwrap_or_default();
        let name = uuid.as_str().and_then(|uuid| nodes.get(uuid));
        let name = name
            .filter(|name| name.is_string())
            .map(|&name| name.clone());
        if let Some(item) = item.as_object_mut() {
            item.insert("node".to_owned(), name.unwrap_or(uuid));
        }
    }
}

/// What `show` was told.
struct Show {
    id: String,
    /// The ID is not the resource's own.
    elsewise: bool,
    fields: Vec<String>,
    output: RecordOutput,
}

impl Resource {
    fn show_args(&self, command: clap::Command) -> clap::Command {
        let mut command = command.arg(self.id_arg());
        if let Some((option, query)) = self.found_by {
            let what = query.replace('_', " ");
            command = command.arg(
                Arg::new(option)
                    .long(option)
                    .action(ArgAction::SetTrue)
                    .help(format!("What is given is the {what}")),
            );
        }
        RecordOutput::augment_args(command.arg(self.fields_arg()))
    }

    fn read_show(&self, matches: &ArgMatches) -> Result<Show, clap::Error> {
        Ok(Show {
            id: one(matches),
            elsewise: self
                .found_by
                .is_some_and(|(option, _)| matches.get_flag(option)),
            fields: many(matches, FIELDS),
            output: RecordOutput::from_arg_matches(matches)?,
        })
    }

    async fn show(&self, show: Show, session: &mut Session) -> Result<(), Error> {
        let answer = match self.found_by {
            Some((_, query)) if show.elsewise => self.find(&show, query, session).await?,
            _ => {
                let call = self
                    .call(Method::GET, [show.id.as_str()])?
                    .fields(&show.fields);
                let answer = session.client.send(&call).await;
                answer.map_err(|error| self.about(error, &show.id))?
            }
        };
        let mut shown = record(answer, self.links)?;
        if show.fields.is_empty() || show.fields.iter().any(|field| field == CHASSIS) {
            self.complete(&mut shown);
        }
        if self.joined {
            output::join_lists(&mut shown);
        }
        if self.sorted {
            shown.sort_keys();
        }
        output::print_record(&mut session.console, &show.output, &shown)
    }

    async fn find(&self, show: &Show, query: &str, session: &Session) -> Result<Value, Error> {
        let call = self
            .call(Method::GET, show.fields.is_empty().then_some("detail"))?
            .fields(&show.fields)
            .query(query, &show.id);
        let mut found = session.client.list(&call, self.key(), None).await?;
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Err(Error::failed(format!(
                "no {} has the {} {}",
                self.noun,
                query.replace('_', " "),
                show.id
            ))
            .with_hint(format!(
                "`corten {} list --fields uuid {query}` shows which there are",
                self.words
            ))),
        }
    }

    /// Adds what some services leave out for a node that is in no chassis: a fixed set of lines is
    /// easier to read and to compare.
    fn complete(&self, shown: &mut Map<String, Value>) {
        if self.detailed.contains(&CHASSIS) {
            shown
                .entry(CHASSIS)
                .or_insert_with(|| Value::String(String::new()));
        }
    }
}

/// The same with the UUID of the node in place of its name; nothing if no node is named, or none has
/// this name.
async fn with_node_by_name(
    session: &Session,
    mut body: Map<String, Value>,
) -> Option<Map<String, Value>> {
    let field = body.get_mut("node_uuid")?;
    let name = field.as_str().filter(|given| !is_uuid(given))?;
    let call = Call::new(Method::GET, &["nodes", name]).ok()?;
    let node = session.client.send(&call).await.ok()?;
    *field = node.get("uuid")?.clone();
    Some(body)
}

/// What `create` was told.
struct Create {
    chosen: Chosen,
    wait: Option<Wait>,
    output: RecordOutput,
}

impl Resource {
    fn create_args(&self, command: clap::Command) -> clap::Command {
        let mut command = Chosen::args(self.attributes, Giving::Create, command);
        if self.settles {
            command = Wait::augment_args(command);
        }
        RecordOutput::augment_args(command).after_help(self.examples)
    }

    fn read_create(&self, matches: &ArgMatches) -> Result<Create, clap::Error> {
        let wait = self.settles.then(|| Wait::from_arg_matches(matches));
        Ok(Create {
            chosen: Chosen::read(self.attributes, Giving::Create, matches),
            wait: wait.transpose()?,
            output: RecordOutput::from_arg_matches(matches)?,
        })
    }

    async fn create(&self, create: Create, session: &mut Session) -> Result<(), Error> {
        let body = create.chosen.body()?;
        let call = self.call(Method::POST, [])?.body(body.clone());
        let mut answer = session.client.send(&call).await;
        // The service wants the UUID of a node here; people have its name.
        if let Err(refused) = &answer
            && refused.status() == Some(400)
            && let Some(body) = with_node_by_name(session, body).await
        {
            let call = self.call(Method::POST, [])?.body(body);
            answer = session.client.send(&call).await;
        }
        let mut answer = answer.map_err(|error| match create.chosen.text("name") {
            Some(name) => self.about(error, name),
            None => error.about(format!("new {}", self.noun)),
        })?;
        if let Some(limit) = create.wait.as_ref().and_then(Wait::limit) {
            let id = answer
                .get("uuid")
                .and_then(Value::as_str)
                .unwrap_or_default();
            answer = self.settled(session, id, limit).await?;
        }
        let mut sent = record(answer, self.links)?;
        let shown = match self.created {
            Created::AsSent => {
                self.complete(&mut sent);
                sent
            }
            Created::Detailed => {
                let field = |name: &&str| {
                    let value = sent.get(*name).cloned();
                    (
                        (*name).to_owned(),
                        value.unwrap_or_else(|| Value::String(String::new())),
                    )
                };
                self.detailed.iter().map(field).collect()
            }
        };
        output::print_record(&mut session.console, &create.output, &shown)
    }

    /// The new one as soon as it is what was asked for.
    async fn settled(
        &self,
        session: &Session,
        id: &str,
        limit: Option<std::time::Duration>,
    ) -> Result<Value, Error> {
        let call = self.call(Method::GET, [id])?;
        let settling = async {
            loop {
                let answer = session.client.send(&call).await?;
                match answer.get("state").and_then(Value::as_str) {
                    Some("active") => return Ok(answer),
                    Some("error") => {
                        let why = answer.get("last_error").and_then(Value::as_str);
                        return Err(Error::failed(why.unwrap_or("failed without saying why")));
                    }
                    _ => tokio::time::sleep(std::time::Duration::from_secs(1)).await,
                }
            }
        };
        let settled = match limit {
            None => settling.await,
            Some(limit) => tokio::time::timeout(limit, settling)
                .await
                .unwrap_or_else(|_| {
                    Err(
                        Error::failed(format!("not active after {} seconds", limit.as_secs()))
                            .with_hint(format!(
                                "the service goes on; `corten {} show {id}` shows how far it is",
                                self.words
                            )),
                    )
                }),
        };
        settled.map_err(|error| self.about(error, id))
    }

    async fn change(
        &self,
        id: &str,
        patch: Vec<Operation>,
        session: &mut Session,
    ) -> Result<(), Error> {
        if patch.is_empty() {
            // A script that finds nothing to change is not wrong, so this is no failure.
            session.console.note(NOTHING_TO_CHANGE);
            return Ok(());
        }
        let call = self.call(Method::PATCH, [id])?.body(patch);
        let answer = session.client.send(&call).await;
        answer.map_err(|error| self.about(error, id))?;
        Ok(())
    }

    /// Deletes what can be deleted, and then tells what could not.
    async fn delete(&self, ids: &[String], session: &mut Session) -> Result<(), Error> {
        let mut failures = Vec::new();
        for id in ids {
            let call = self.call(Method::DELETE, [id.as_str()])?;
            match session.client.send(&call).await {
                Ok(_) => session
                    .console
                    .line(&format!("Deleted {} {id}", self.noun))?,
                Err(error) => failures.push(self.about(error, id)),
            }
        }
        Error::all(failures)
    }
}

pub(crate) const NOTHING_TO_CHANGE: &str = "nothing to change: name a setting, see --help";

fn one(matches: &ArgMatches) -> String {
    matches.get_one::<String>(ONE).cloned().unwrap_or_default()
}

fn many(matches: &ArgMatches, id: &str) -> Vec<String> {
    let found = matches.try_get_many::<String>(id).ok().flatten();
    found.into_iter().flatten().cloned().collect()
}

#[cfg(test)]
mod tests;
