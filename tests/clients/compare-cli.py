#!/usr/bin/env python3
"""Compares what `corten` and `baremetal` print, command by command, against one running service.

Needs python-ironicclient beside this Python, and a service that asks nobody for a password:

    corten serve --data-dir ./data --set api.port=16385 &
    tests/clients/compare-cli.py --url http://127.0.0.1:16385 --corten target/debug/corten

It creates some resources, runs every command of the stock client that shows or lists something
with both programs, and compares JSON (with the order of fields), the titles of the table and the
exit status. Commands that create something are run once by each program, and what differs by
nature (IDs, names, times) is left out of the comparison. Ends with 1 if something differs.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import urllib.request
import uuid

import yaml

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "crates" / "cli" / "src" / "stock_commands.tsv"
VERSION = "1.115"
# What two resources that were created alike do not have in common.
OWN = {"uuid", "name", "address", "created_at", "updated_at", "provision_updated_at", "links"}

# Where we print something else on purpose: the command, and why.
DELIBERATE = {
    "node children list": "the stock client shows the first child only, and nothing if there is none",
}


class Service:
    def __init__(self, url):
        self.url = url

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Content-Type": "application/json",
                "X-OpenStack-Ironic-API-Version": VERSION,
            },
        )
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
        return json.loads(text) if text else None


def populate(service):
    """One or more of everything; returns the names the commands need."""
    tag = uuid.uuid4().hex[:8]
    made = {"tag": tag}
    made["chassis"] = service.ask("POST", "/v1/chassis", {"description": "case", "extra": {"a": 1}})["uuid"]
    node = {
        "driver": "fake-hardware",
        "name": f"cmp-{tag}",
        "chassis_uuid": made["chassis"],
        "resource_class": f"class-{tag}",
        "properties": {"cpus": 4},
        "extra": {"list": [1, None, True], "text": 'a "quoted", word'},
        "shard": f"shard-{tag}",
    }
    made["node"] = service.ask("POST", "/v1/nodes", node)["uuid"]
    for kid in ("a", "b"):
        child = {"driver": "fake-hardware", "name": f"kid-{kid}-{tag}", "parent_node": made["node"]}
        service.ask("POST", "/v1/nodes", child)
    service.ask("PUT", f"/v1/nodes/{made['node']}/traits/CUSTOM_A", {})
    made["instance"] = str(uuid.uuid4())
    patch = [{"op": "add", "path": "/instance_uuid", "value": made["instance"]}]
    service.ask("PATCH", f"/v1/nodes/{made['node']}", patch)
    mac = ":".join(["52", "54"] + [tag[i : i + 2] for i in (0, 2, 4, 6)])
    made["group"] = service.ask(
        "POST", "/v1/portgroups", {"node_uuid": made["node"], "name": f"bond-{tag}", "address": mac.replace("52", "56", 1)}
    )["uuid"]
    made["group_mac"] = mac.replace("52", "56", 1)
    made["port"] = service.ask(
        "POST", "/v1/ports", {"node_uuid": made["node"], "address": mac, "portgroup_uuid": made["group"]}
    )["uuid"]
    made["mac"] = mac
    made["connector"] = service.ask(
        "POST", "/v1/volume/connectors", {"node_uuid": made["node"], "type": "iqn", "connector_id": f"iqn.{tag}"}
    )["uuid"]
    made["target"] = service.ask(
        "POST",
        "/v1/volume/targets",
        {"node_uuid": made["node"], "volume_type": "iscsi", "boot_index": 0, "volume_id": tag, "properties": {"lun": 1}},
    )["uuid"]
    made["allocation"] = service.ask("POST", "/v1/allocations", {"resource_class": f"none-{tag}", "name": f"al-{tag}"})["uuid"]
    step = {"interface": "deploy", "step": "x", "args": {}, "priority": 50}
    made["template"] = service.ask("POST", "/v1/deploy_templates", {"name": f"CUSTOM_T{tag.upper()}", "steps": [step]})["uuid"]
    step = {"interface": "deploy", "step": "x", "args": {}, "order": 1}
    made["runbook"] = service.ask("POST", "/v1/runbooks", {"name": f"CUSTOM_R{tag.upper()}", "steps": [step]})["uuid"]
    service.ask("PUT", f"/v1/runbooks/{made['runbook']}/traits/CUSTOM_B", {})
    made["rule"] = service.ask(
        "POST",
        "/v1/inspection_rules",
        {"description": "rule", "actions": [{"op": "set-attribute", "args": {"path": "/extra/x", "value": 1}}]},
    )["uuid"]
    made["conductor"] = service.ask("GET", "/v1/conductors")["conductors"][0]["hostname"]
    return made


STEPS = '[{"interface": "deploy", "step": "x", "args": {}, "%s": 1}]'
ACTIONS = '[{"op": "set-attribute", "args": {"path": "/extra/x", "value": 1}}]'


def cases(made, turn):
    """For each command, the argument lists to try. `turn` is different for each of the programs."""
    tag = f"{made['tag']}-{turn}"
    trait = tag.upper().replace("-", "_")
    node = made["node"]
    mac = f"5{turn}:00:" + ":".join(made["mac"].split(":")[2:])
    lists = [[], ["--long"]]
    return {
        "allocation create": [["--resource-class", "nothing", "--name", f"al-{tag}", "--extra", "a=1"]],
        "allocation list": lists + [["--resource-class", f"none-{made['tag']}", "--fields", "name", "state"]],
        "allocation show": [[made["allocation"]], [made["allocation"], "--fields", "name", "state"]],
        "chassis create": [["--description", "d", "--extra", "a=[1]"]],
        "chassis list": lists + [["--fields", "uuid", "extra"], ["--sort", "uuid:desc"]],
        "chassis show": [[made["chassis"]], [made["chassis"], "--fields", "extra"]],
        "conductor list": lists + [["--fields", "hostname", "drivers"]],
        "conductor show": [[made["conductor"]]],
        "deploy template create": [[f"CUSTOM_C{trait}", "--steps", STEPS % "priority"]],
        "deploy template list": lists + [["--fields", "name", "steps"]],
        "deploy template show": [[made["template"]]],
        "driver list": lists + [["--type", "dynamic", "--fields", "name", "enabled_boot_interfaces"]],
        "driver passthru call": [["fake-hardware", "no_such_method"]],
        "driver passthru list": [["fake-hardware"]],
        "driver property list": [["fake-hardware"]],
        "driver raid property list": [["fake-hardware"]],
        "driver show": [["fake-hardware"], ["fake-hardware", "--fields", "name", "hosts"]],
        "inspection rule create": [["--description", "d", "--actions", ACTIONS, "--conditions", "[]"]],
        "inspection rule list": lists + [["--fields", "uuid", "actions"]],
        "inspection rule show": [[made["rule"]]],
        "node bios setting list": [[node], [node, "--long"], [node, "--fields", "name"]],
        "node bios setting show": [[node, "no-such-setting"]],
        "node boot device show": [[node], [node, "--supported"]],
        "node children list": [[node]],
        "node console show": [[node]],
        "node create": [["--driver", "fake-hardware", "--name", f"new-{tag}", "--property", "cpus=4", "--extra", "a=b"]],
        "node firmware list": [[node]],
        "node history get": [[node, str(uuid.UUID(int=1))]],
        "node history list": [[node], [node, "--long"]],
        "node list": lists
        + [
            ["--fields", "name", "extra", "traits"],
            ["--resource-class", f"class-{made['tag']}"],
            ["--shards", f"shard-{made['tag']}", "--associated", "--no-maintenance"],
            ["--parent-node", node],
            ["--include-children", "--sort", "name:desc"],
            ["--limit", "1", "--sort-column", "name", "--sort-descending"],
            ["--limit", "0", "-c", "UUID", "-c", "name"],
            ["--chassis", made["chassis"], "--driver", "fake-hardware", "--provision-state", "enroll"],
        ],
        "node passthru list": [[node]],
        "node show": [[node], [made["instance"], "--instance"], [node, "--fields", "name", "extra"], ["no-such-node"]],
        "node trait list": [[node]],
        "node validate": [[node]],
        "node vif list": [[node]],
        "port create": [[mac, "--node", node, "--local-link-connection", "port_id=x", "--pxe-enabled", "false"]],
        "port group create": [["--node", node, "--name", f"g-{tag}", "--mode", "802.3ad", "--support-standalone-ports"]],
        "port group list": lists + [["--node", node, "--fields", "name", "mode"]],
        "port group show": [[made["group"]], [made["group_mac"], "--address"]],
        "port list": lists + [["--node", node], ["--address", made["mac"], "--fields", "address", "extra"]],
        "port show": [[made["port"]], [made["mac"], "--address"], ["52:54:00:00:00:99", "--address"]],
        "runbook create": [["--name", f"CUSTOM_D{trait}", "--steps", STEPS % "order"]],
        "runbook list": lists + [["--fields", "name", "public"]],
        "runbook show": [[made["runbook"]]],
        "runbook trait list": [[made["runbook"]]],
        "shard list": [[]],
        "volume connector create": [["--node", node, "--type", "ip", "--connector-id", f"10.0.0.{turn}"]],
        "volume connector list": lists + [["--node", node, "--fields", "type", "connector_id"]],
        "volume connector show": [[made["connector"]]],
        "volume target create": [
            ["--node", node, "--type", "iscsi", "--boot-index", f"{turn}", "--volume-id", "v", "--property", "a=1"]
        ],
        "volume target list": lists + [["--fields", "uuid", "properties"]],
        "volume target show": [[made["target"]]],
    }


def run(program, words, arguments, form, url):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "OS_AUTH_TYPE": "none",
        "OS_ENDPOINT": url,
    }
    line = [program, *words.split(), *arguments, *form]
    done = subprocess.run(line, capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def titles(table):
    """The titles of a table, and for a record the names of the fields."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    if rows and rows[0] == ["Field", "Value"]:
        return [row[0] for row in rows if row[0]]
    return rows[0] if rows else []


def same(words, ours, theirs):
    if not words.endswith(" create"):
        return list(pairs(ours)) == list(pairs(theirs))
    ours, theirs = json.loads(ours or "{}"), json.loads(theirs or "{}")
    shared = [key for key in theirs if key not in OWN and theirs[key] != ours.get(key)]
    varied = {"connector_id", "boot_index"}
    return list(ours) == list(theirs) and set(shared) <= varied


def pairs(text):
    """Everything in a JSON text, with the order of fields."""
    yield json.loads(text, object_pairs_hook=list) if text.strip() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True, help="address of the service")
    parser.add_argument("--corten", default="target/debug/corten")
    parser.add_argument("--baremetal", default=str(pathlib.Path(sys.executable).parent / "baremetal"))
    parser.add_argument("--verbose", action="store_true", help="print both outputs where they differ")
    parser.add_argument("--only", default="", help="only commands that begin with these words")
    options = parser.parse_args()

    made = populate(Service(options.url))
    ours, theirs = cases(made, 1), cases(made, 2)
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    commands = [words for words, prints, *_ in rows if prints != "-" and words.startswith(options.only)]
    compared = runs = refused = differing = deliberate = 0
    for words in commands:
        if words not in ours:
            print(f"NO CASE    {words}")
            differing += 1
            continue
        compared += 1
        for mine, other in zip(ours[words], theirs[words]):
            forms = [["-f", "json"], []]
            if words.endswith(" create") or "-c" in mine:
                forms = forms[:1]
            if words in ("node list", "node show"):
                forms += [["-f", "yaml"], ["-f", "csv" if words == "node list" else "value", "-c", "name", "-c", "uuid"]]
            for form in forms:
                runs += 1
                left = run(options.corten, words, mine, form, options.url)
                right = run(options.baremetal, words, other, form, options.url)
                if left[0] != right[0]:
                    what = f"exit status {left[0]} instead of {right[0]}"
                elif left[0]:
                    refused += 1
                    continue
                elif form[1:2] == ["yaml"] and yaml.safe_load(left[1]) != yaml.safe_load(right[1]):
                    what = "YAML"
                elif form[1:2] in (["csv"], ["value"]) and left[1] != right[1]:
                    what = form[1]
                elif form[1:2] == ["json"] and not same(words, left[1], right[1]):
                    what = "JSON"
                elif not form and titles(left[1]) != titles(right[1]):
                    what = f"titles {titles(left[1])} instead of {titles(right[1])}"
                else:
                    continue
                if words in DELIBERATE:
                    deliberate += 1
                    print(f"deliberate {words}: {DELIBERATE[words]}")
                    continue
                differing += 1
                print(f"DIFFERENT  {words} {' '.join(mine + form)}: {what}")
                if options.verbose:
                    print(*left[1:], *right[1:], sep="\n")
    print(
        f"{compared} commands, {runs} runs compared ({refused} refused alike); "
        f"{differing} differ, {deliberate} on purpose"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
