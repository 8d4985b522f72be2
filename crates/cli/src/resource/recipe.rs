//! What is asked for and how it is done: allocations, deploy templates, runbooks, rules.

use super::hardware::OF_NODE;
use super::{Long, PLAIN, Resource, Verb};
use crate::attribute::{Attribute, EXTRA, Form, UUID, text};
use crate::listing::Filter;

/// A list of steps or the like.
const fn json(field: &'static str, help: &'static str) -> Attribute {
    text(field, field, "JSON|FILE|-", help).forms(
        Form::Required(&Form::Json),
        Form::Json,
        Form::Absent,
    )
}

pub(super) const ALLOCATION: Resource = Resource {
    words: "allocation",
    noun: "allocation",
    path: "allocations",
    verbs: &[
        (Verb::List, "List allocations"),
        (Verb::Show, "Show all about one allocation"),
        (Verb::Create, "Ask for a machine"),
        (Verb::Set, "Change an allocation"),
        (Verb::Unset, "Clear settings of an allocation"),
        (Verb::Delete, "Give machines back"),
    ],
    brief: &["uuid", "name", "resource_class", "state", "node_uuid"],
    detailed: &[
        "uuid",
        "name",
        "state",
        "owner",
        "node_uuid",
        "last_error",
        "resource_class",
        "traits",
        "candidate_nodes",
        "extra",
        "created_at",
        "updated_at",
    ],
    long: Long::Always,
    filters: &[
        OF_NODE,
        Filter::text(
            "resource-class",
            "resource_class",
            "CLASS",
            "Only those of this class",
        ),
        Filter::text(
            "state",
            "state",
            "STATE",
            "Only those in this state: allocating, active, error",
        ),
        Filter::text("owner", "owner", "PROJECT", "Only those of this owner"),
    ],
    attributes: &[
        text(
            "resource_class",
            "resource-class",
            "CLASS",
            "Resource class the machine must have",
        )
        .forms(Form::Text, Form::Absent, Form::Absent),
        text("traits", "trait", "TRAIT", "Trait the machine must have").forms(
            Form::List,
            Form::Absent,
            Form::Absent,
        ),
        text(
            "candidate_nodes",
            "candidate-node",
            "NODE",
            "Take one of these machines",
        )
        .forms(Form::List, Form::Absent, Form::Absent),
        text("name", "name", "NAME", "Name, unique among allocations"),
        UUID,
        text(
            "owner",
            "owner",
            "PROJECT",
            "Project that owns the allocation",
        )
        .forms(Form::Text, Form::Absent, Form::Absent),
        EXTRA,
        text(
            "node",
            "node",
            "NODE",
            "Record an allocation for this machine, which is in use",
        )
        .forms(Form::Text, Form::Absent, Form::Absent),
    ],
    settles: true,
    examples: "\
Example:
  corten allocation create --resource-class baremetal --trait CUSTOM_GPU --wait 60
",
    ..PLAIN
};

pub(super) const DEPLOY_TEMPLATE: Resource = Resource {
    words: "deploy template",
    noun: "deploy template",
    path: "deploy_templates",
    verbs: &[
        (Verb::List, "List deploy templates"),
        (Verb::Show, "Show all about one deploy template"),
        (Verb::Create, "Create a deploy template"),
        (Verb::Set, "Change a deploy template"),
        (Verb::Unset, "Clear settings of a deploy template"),
        (Verb::Delete, "Delete deploy templates"),
    ],
    brief: &["uuid", "name"],
    detailed: &["uuid", "name", "steps", "extra", "created_at", "updated_at"],
    attributes: &[
        text(
            "name",
            "name",
            "NAME",
            "The trait it is for, such as CUSTOM_RAID",
        )
        .forms(Form::Positional, Form::Text, Form::Absent),
        UUID,
        EXTRA,
        json("steps", "Deploy steps"),
    ],
    ..PLAIN
};

pub(super) const RUNBOOK: Resource = Resource {
    words: "runbook",
    noun: "runbook",
    path: "runbooks",
    verbs: &[
        (Verb::List, "List runbooks"),
        (Verb::Show, "Show all about one runbook"),
        (Verb::Create, "Create a runbook"),
        (Verb::Set, "Change a runbook"),
        (Verb::Unset, "Clear settings of a runbook"),
        (Verb::Delete, "Delete runbooks"),
    ],
    brief: &["uuid", "name"],
    detailed: &[
        "uuid",
        "name",
        "description",
        "traits",
        "disable_ramdisk",
        "owner",
        "public",
        "steps",
        "extra",
        "created_at",
        "updated_at",
    ],
    attributes: &[
        text(
            "name",
            "name",
            "NAME",
            "Name, which is a trait such as CUSTOM_FIX",
        )
        .forms(Form::Required(&Form::Text), Form::Text, Form::Clear),
        text("description", "description", "TEXT", "A note for people"),
        UUID,
        text("public", "public", "BOOLEAN", "All projects may use it").forms(
            Form::OptionalBoolean,
            Form::OptionalBoolean,
            Form::Clear,
        ),
        text("owner", "owner", "PROJECT", "Project that owns it"),
        EXTRA,
        json("steps", "Steps"),
        text(
            "disable_ramdisk",
            "disable-ramdisk",
            "BOOLEAN",
            "Do not boot the agent; only steps that can do without it run",
        )
        .forms(Form::Switch(None), Form::OptionalBoolean, Form::Clear),
    ],
    ..PLAIN
};

pub(super) const INSPECTION_RULE: Resource = Resource {
    words: "inspection rule",
    noun: "rule",
    path: "inspection_rules",
    id: "UUID",
    verbs: &[
        (Verb::List, "List inspection rules"),
        (Verb::Show, "Show all about one inspection rule"),
        (Verb::Create, "Create an inspection rule"),
        (Verb::Set, "Change an inspection rule"),
        (Verb::Unset, "Clear settings of an inspection rule"),
        (Verb::Delete, "Delete inspection rules"),
    ],
    brief: &["uuid", "description"],
    detailed: &[
        "uuid",
        "description",
        "priority",
        "sensitive",
        "phase",
        "actions",
        "conditions",
        "created_at",
        "updated_at",
    ],
    attributes: &[
        UUID,
        text("description", "description", "TEXT", "A note for people"),
        text(
            "priority",
            "priority",
            "NUMBER",
            "Rules with a higher number run first",
        )
        .forms(Form::Number, Form::Number, Form::Clear),
        text(
            "sensitive",
            "sensitive",
            "BOOLEAN",
            "What it does holds secrets, and is not shown",
        )
        .forms(Form::Boolean, Form::Absent, Form::Absent),
        text("phase", "phase", "PHASE", "When it runs, such as main"),
        json("conditions", "When it applies").forms(Form::Json, Form::Json, Form::Absent),
        json("actions", "What it does"),
        text("conditions", "condition", "", "").forms(Form::Absent, Form::Absent, Form::Keys),
        text("actions", "action", "", "").forms(Form::Absent, Form::Absent, Form::Keys),
    ],
    ..PLAIN
};
