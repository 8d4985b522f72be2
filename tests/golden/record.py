#!/usr/bin/env python3
"""Record what a fresh Ironic answers, into the JSON files beside this script.

    record.py --url http://127.0.0.1:6385 [--out DIR]

The requests are read from the files themselves: setup.json builds the objects,
then every document is read at every microversion, then the requests of
faults.json (none of which may change anything) and of answers.json (in order)
are sent, and the answers in the files are replaced by the observed ones.
The service must be empty before; README.md describes its configuration.
"""
import argparse
import json
import pathlib
import re
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).parent
LATEST = 115
DOCUMENTS = {
    "v1": "/v1",
    "node": "/v1/nodes/11111111-1111-1111-1111-111111111111",
    "node_states": "/v1/nodes/11111111-1111-1111-1111-111111111111/states",
    "nodes": "/v1/nodes",
    "port": "/v1/ports/eeeeeeee-eeee-eeee-eeee-eeeeeeeeeeee",
    "portgroup": "/v1/portgroups/dddddddd-dddd-dddd-dddd-dddddddddddd",
    "chassis": "/v1/chassis/cccccccc-cccc-cccc-cccc-cccccccccccc",
    "driver": "/v1/drivers/fake-hardware",
    "conductor": "/v1/conductors/<host>",
}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Row numbers of the database, which some texts mention.
ROW = re.compile(r"\b(node|portgroup) \d+(?![\w-])")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00)?$")
# What an entry says about its answer; everything else in it is the request.
ANSWER = ("status", "version_headers", "allow", "location", "body_json")


class Recorder:
    def __init__(self, url):
        self.url = url
        self.host = "<host>"
        self.known = set()

    def send(self, entry):
        """Send one request; return status, headers and the text of the body."""
        data = entry.get("raw_body")
        if "body" in entry:
            data = json.dumps(entry["body"])
        path = entry["path"].replace("<host>", self.host)
        request = urllib.request.Request(self.url + path, method=entry["method"])
        if data is not None:
            request.data = data.encode()
            request.add_header("Content-Type", "application/json")
        if entry.get("version"):
            request.add_header("X-OpenStack-Ironic-API-Version", entry["version"])
        for name, value in entry.get("headers", {}).items():
            request.add_header(name, value)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers, answer.read().decode()

    def get(self, path, version=f"1.{LATEST}"):
        status, _, text = self.send({"method": "GET", "path": path, "version": version})
        return status, json.loads(text)

    def normal(self, value, key=""):
        """Replace what differs between two recordings by placeholders."""
        if isinstance(value, dict):
            return {k: self.normal(v, k) for k, v in sorted(value.items())}
        if isinstance(value, list):
            items = [self.normal(item) for item in value]
            return sorted(items) if key.startswith("enabled_") else items
        if key == "duration_seconds" and value is not None:
            return "<seconds>"
        if not isinstance(value, str):
            return value
        if TIME.match(value):
            return "<time>"
        value = value.replace(self.url, "<base>").replace(self.host, "<host>")
        value = ROW.sub(r"\1 <id>", value)
        return UUID.sub(lambda m: m[0] if m[0] in self.known else "<uuid>", value)

    def body(self, text):
        """The body as JSON, with the JSON text inside error_message opened too."""
        if not text:
            return None
        value = json.loads(text)
        if isinstance(value, dict) and isinstance(value.get("error_message"), str):
            try:
                value["error_message"] = json.loads(value["error_message"])
            except ValueError:
                pass
        return self.normal(value)

    def wait(self, entry):
        """Poll the node until its fields have the values the entry waits for."""
        if "wait" not in entry:
            return
        path, until = entry["wait"]["path"], entry["wait"]["until"]
        deadline = time.monotonic() + 60
        while True:
            _, document = self.get(path)
            if all(document.get(k) == v for k, v in until.items()):
                return
            if time.monotonic() > deadline:
                raise SystemExit(f"{entry['method']} {entry['path']}: still {document}")
            time.sleep(0.1)

    def answered(self, entry):
        """Send the entry's request and return the entry with its answer renewed."""
        status, headers, text = self.send(entry)
        new = {k: v for k, v in entry.items() if k not in ANSWER}
        new["status"] = status
        prefix = "X-OpenStack-Ironic-API-"
        sent = [n for n in ("Minimum-Version", "Maximum-Version", "Version")
                if headers.get(prefix + n)]
        new["version_headers"] = {0: "none", 2: "range", 3: "all"}[len(sent)]
        for name in ("allow", "location"):
            if headers.get(name) is not None:
                new[name] = self.normal(headers[name])
        new["body_json"] = self.body(text)
        self.wait(entry)
        return new

    def document(self, path):
        """[version, document] wherever the document differs from the one before."""
        found = []
        for minor in range(1, LATEST + 1):
            status, value = self.get(path, f"1.{minor}")
            value = self.normal(value)
            if status == 200 and (not found or found[-1][1] != value):
                found.append([f"1.{minor}", value])
        return found


def lines(items):
    """A JSON list with one item a line, so that a change is one line of a diff."""
    return "[\n" + ",\n".join(json.dumps(i, ensure_ascii=False) for i in items) + "\n]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    args = parser.parse_args()
    recorder = Recorder(args.url.rstrip("/"))
    text = {n: (HERE / f"{n}.json").read_text() for n in ("setup", "faults", "answers")}
    recorder.known = set(UUID.findall("".join(text.values())))
    recorder.host = recorder.get("/v1/conductors")[1]["conductors"][0]["hostname"]

    for entry in json.loads(text["setup"]):
        status, _, answer = recorder.send(entry)
        if status >= 300:
            raise SystemExit(f"{entry['method']} {entry['path']}: {status} {answer}")
        recorder.wait(entry)
    for name, path in DOCUMENTS.items():
        (args.out / f"{name}.json").write_text(
            '{"path": "%s", "documents": %s}\n' % (path, lines(recorder.document(path))))
    for name in ("faults", "answers"):
        entries = [recorder.answered(entry) for entry in json.loads(text[name])]
        (args.out / f"{name}.json").write_text(lines(entries) + "\n")


if __name__ == "__main__":
    main()
