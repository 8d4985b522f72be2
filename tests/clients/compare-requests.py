#!/usr/bin/env python3
"""Compares what `corten` and `baremetal` ask of the service when they change something.

Needs python-ironicclient beside this Python, and no service: it is one itself, which answers
everything with an empty object and remembers what it was asked.

    tests/clients/compare-requests.py --corten target/debug/corten

Every command of the stock client that prints nothing is run with both programs, and method, path,
query and body of their requests are compared. Ends with 1 if something differs.
"""

import argparse
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent.parent / "crates" / "cli" / "src" / "stock_commands.tsv"
UUID = "5b6d2a4e-0d4f-4b58-9f3e-0a3c1d0e7f11"

# Where we ask for something else on purpose: the arguments, and why.
DELIBERATE = {
    ("inspection rule unset", "--condition"): "the stock client names a field that does not exist",
    ("inspection rule unset", "--action"): "the stock client names a field that does not exist",
}


class Recorder(http.server.BaseHTTPRequestHandler):
    asked = []

    def answer(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        path = urllib.parse.urlsplit(self.path)
        query = sorted(urllib.parse.parse_qsl(path.query))
        Recorder.asked.append((self.command, path.path, query, json.loads(body) if body else None))
        kind = path.path.split("/")[2] if path.path.count("/") > 1 else ""
        text = json.dumps({"uuid": UUID, "name": "x", kind: []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("X-OpenStack-Ironic-API-Maximum-Version", "1.115")
        self.send_header("X-OpenStack-Ironic-API-Minimum-Version", "1.1")
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


RESOURCES = """
chassis:
- description: case
  nodes:
  - name: a
    driver: fake-hardware
    traits: [CUSTOM_A]
    portgroups:
    - name: bond
      ports:
      - address: "52:54:00:00:00:01"
    ports:
    - address: "52:54:00:00:00:02"
nodes:
- name: b
  driver: fake-hardware
"""

INTERFACES = (
    "bios boot console deploy firmware inspect management network power raid rescue storage vendor".split()
)
STEPS = '[{"interface": "deploy", "step": "x", "args": {"n": 1}}]'


def cases(folder):
    """For each command, the argument lists to try."""
    resources = folder / "resources.yaml"
    resources.write_text(RESOURCES)
    steps = folder / "steps.yaml"
    steps.write_text("- interface: deploy\n  step: z\n")
    chosen = [word for name in INTERFACES for word in (f"--{name}-interface", "fake")]
    node_set = [
        ["m1", "--driver", "fake-hardware", "--reset-interfaces"],
        ["m1", *chosen],
        ["m1", *(f"--reset-{name}-interface" for name in INTERFACES)],
        ["m1", "m2", "--property", "cpus=4", "--extra", "a/b={}", "--driver-info", "x=y", "--instance-info", "i=[1]"],
        ["m1", "--name", "n", "--instance-uuid", UUID, "--instance-name", "i", "--chassis-uuid", UUID],
        ["m1", "--resource-class", "c", "--conductor-group", "g", "--owner", "o", "--lessee", "l"],
        ["m1", "--description", "some words", "--shard", "s", "--parent-node", UUID],
        ["m1", "--automated-clean", "--protected", "--protected-reason", "why", "--disable-power-off"],
        ["m1", "--no-automated-clean", "--retired", "--retired-reason", "why", "--enable-power-off"],
        ["m1", "--network-data", '{"links": []}', "--target-raid-config", '{"logical_disks": []}'],
    ]
    node_unset = [
        ["m1", *(f"--{name}-interface" for name in INTERFACES)],
        ["m1", "m2", "--property", "cpus", "--extra", "a/b", "--driver-info", "x", "--instance-info", "i"],
        ["m1", "--name", "--instance-uuid", "--instance-name", "--chassis-uuid", "--resource-class"],
        ["m1", "--conductor-group", "--owner", "--lessee", "--description", "--shard", "--parent-node"],
        ["m1", "--automated-clean", "--protected", "--protected-reason", "--retired", "--retired-reason"],
        ["m1", "--network-data", "--target-raid-config"],
    ]
    plain = ["m1"]
    two = [["m1", "m2"]]
    return {
        "allocation delete": two,
        "allocation set": [["a", "--name", "b", "--extra", "k=1"], plain],
        "allocation unset": [["a", "--name", "--extra", "k"]],
        "chassis delete": two,
        "chassis set": [["c", "--description", "d", "--extra", "k={}"]],
        "chassis unset": [["c", "--description", "--extra", "k"]],
        "create": [[str(resources)]],
        "deploy template delete": two,
        "deploy template set": [["t", "--name", "CUSTOM_B", "--steps", STEPS, "--extra", "k=v"], ["t", "--steps", str(steps)]],
        "deploy template unset": [["t", "--extra", "k"]],
        "inspection rule delete": two,
        "inspection rule set": [["r", "--description", "d", "--priority", "5", "--phase", "main", "--actions", "[]"]],
        "inspection rule unset": [["r", "--description", "--priority", "--phase"], ["r", "--condition", "k"], ["r", "--action", "k"]],
        "node abort": two,
        "node add trait": [["m1", "CUSTOM_A", "CUSTOM_B"]],
        "node adopt": two,
        "node boot device set": [["m1", "m2", "pxe"], ["m1", "disk", "--persistent"]],
        "node boot mode set": [["m1", "m2", "uefi"]],
        "node clean": [
            ["m1", "--clean-steps", STEPS],
            ["m1", "--clean-steps", str(steps), "--disable-ramdisk"],
            ["m1", "--runbook", "CUSTOM_R"],
        ],
        "node console disable": two,
        "node console enable": two,
        "node delete": two,
        "node deploy": [
            plain,
            ["m1", "--config-drive", '{"meta_data": {"a": 1}}', "--deploy-steps", STEPS],
        ],
        "node inject nmi": two,
        "node inspect": two,
        "node inventory save": [plain],
        "node maintenance set": [["m1", "--reason", "fan broken"], plain],
        "node maintenance unset": two,
        "node manage": two,
        "node passthru call": [
            ["m1", "do", "--arg", "a=1", "--arg", "b=x"],
            ["m1", "do", "--http-method", "PUT"],
            ["m1", "do", "--http-method", "GET"],
            ["m1", "do", "--http-method", "DELETE"],
        ],
        "node power off": [["m1", "m2"], ["m1", "--soft", "--power-timeout", "5"]],
        "node power on": [["m1", "--power-timeout", "5"]],
        "node provide": two,
        "node reboot": [plain, ["m1", "--soft"]],
        "node rebuild": [plain, ["m1", "--config-drive", '{"user_data": "x"}']],
        "node remove trait": [["m1", "CUSTOM_A", "CUSTOM_B"], ["m1", "--all"]],
        "node rescue": [["m1", "--rescue-password", "s"]],
        "node secure boot off": two,
        "node secure boot on": two,
        "node service": [["m1", "--service-steps", STEPS], ["m1", "--runbook", "CUSTOM_R"]],
        "node set": node_set,
        "node trait add": [["m1", "CUSTOM_A"]],
        "node trait remove": [["m1", "CUSTOM_A"], ["m1", "--all"]],
        "node undeploy": two,
        "node unhold": two,
        "node unrescue": two,
        "node unset": node_unset,
        "node vif attach": [["m1", "v"], ["m1", "v", "--port-uuid", UUID, "--vif-info", "a=1"], ["m1", "v", "--portgroup-uuid", UUID]],
        "node vif detach": [["m1", "v"]],
        "port delete": two,
        "port group delete": two,
        "port group set": [
            ["g", "--node", UUID, "--address", "52:54:00:00:00:01", "--name", "n", "--mode", "802.3ad"],
            ["g", "--extra", "a=1", "--property", "b=2", "--support-standalone-ports", "--physical-network", "p"],
            ["g", "--unsupport-standalone-ports", "--category", "c"],
        ],
        "port group unset": [["g", "--name", "--address", "--extra", "a", "--property", "b", "--physical-network", "--category"]],
        "port set": [
            ["p", "--node", UUID, "--address", "52:54:00:00:00:01", "--extra", "a=1", "--port-group", UUID],
            ["p", "--local-link-connection", "switch_id=x", "--pxe-enabled", "--physical-network", "n"],
            ["p", "--pxe-disabled", "--is-smartnic", "--name", "n", "--description", "d", "--vendor", "v", "--category", "c"],
        ],
        "port unset": [
            ["p", "--extra", "a", "--local-link-connection", "switch_id", "--port-group", "--physical-network"],
            ["p", "--is-smartnic", "--name", "--description", "--vendor", "--category"],
        ],
        "runbook delete": two,
        "runbook set": [
            ["r", "--name", "CUSTOM_B", "--description", "d", "--owner", "o", "--steps", STEPS, "--extra", "a=1"],
            ["r", "--public", "true", "--disable-ramdisk", "false"],
        ],
        "runbook trait add": [["r", "CUSTOM_A", "CUSTOM_B"]],
        "runbook trait remove": [["r", "CUSTOM_A"], ["r", "--all"]],
        "runbook unset": [["r", "--name", "--description", "--public", "--owner", "--extra", "a", "--disable-ramdisk"]],
        "volume connector delete": two,
        "volume connector set": [["v", "--node", UUID, "--type", "ip", "--connector-id", "10.0.0.1", "--extra", "a=1"]],
        "volume connector unset": [["v", "--extra", "a"]],
        "volume target delete": two,
        "volume target set": [
            ["v", "--node", UUID, "--type", "iscsi", "--property", "a=1", "--boot-index", "2", "--volume-id", "i", "--extra", "b=2"]
        ],
        "volume target unset": [["v", "--extra", "a", "--property", "b"]],
    }


def plain(value):
    """A value as it is compared: the stock client sends some truth values as words, which the
    service takes for the same."""
    if isinstance(value, dict):
        return {key: plain(below) for key, below in value.items()}
    if isinstance(value, list):
        return [plain(below) for below in value]
    return {"True": True, "False": False}.get(value, value) if isinstance(value, str) else value


def run(program, words, arguments, url):
    """What a program asked for, with the operations of a patch in order of path."""
    Recorder.asked.clear()
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "OS_AUTH_TYPE": "none", "OS_ENDPOINT": url}
    done = subprocess.run([program, *words.split(), *arguments], capture_output=True, text=True, env=environment)
    asked = []
    for method, path, query, body in Recorder.asked:
        if method == "PATCH" and isinstance(body, list):
            body = sorted(body, key=lambda operation: operation["path"])
        asked.append((method, path, query, plain(body)))
    return done.returncode, asked, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corten", default="target/debug/corten")
    parser.add_argument("--baremetal", default=str(pathlib.Path(sys.executable).parent / "baremetal"))
    parser.add_argument("--only", default="", help="only commands that begin with these words")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"

    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    commands = [words for words, prints, *_ in rows if prints == "-" and words.startswith(options.only)]
    compared = runs = differing = deliberate = 0
    with tempfile.TemporaryDirectory() as folder:
        known = cases(pathlib.Path(folder))
        for words in commands:
            if words not in known:
                print(f"NO CASE    {words}")
                differing += 1
                continue
            compared += 1
            for arguments in known[words]:
                runs += 1
                ours = run(options.corten, words, arguments, url)
                theirs = run(options.baremetal, words, arguments, url)
                if ours[:2] == theirs[:2]:
                    continue
                reasons = [why for (command, option), why in DELIBERATE.items() if command == words and option in arguments]
                if reasons:
                    deliberate += 1
                    print(f"deliberate {words} {' '.join(arguments)}: {reasons[0]}")
                    continue
                differing += 1
                print(f"DIFFERENT  {words} {' '.join(arguments)}")
                for status, asked, said in (ours, theirs):
                    print(f"    {status} {asked} {said.strip()[-300:]}")
    print(f"{compared} commands, {runs} runs compared; {differing} differ, {deliberate} on purpose")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
