"""What the tests of agents share: a service's nodes, an image, and patience.

Not a program: `agent-reference` and `stock-agent-run` are.
"""

import contextlib
import hashlib
import http.server
import json
import sys
import threading
import time
import urllib.error
import urllib.request

VERSION = "1.90"
IMAGE = b"no image at all" * 1000
NOBODY = 65534


def say(text):
    print(f"{sys.argv[0].rpartition('/')[2]}: {text}", file=sys.stderr, flush=True)


def call(method, url, body=None, version=VERSION, context=None):
    """The status and the answer, whatever the status is."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": version}
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60, context=context) as answer:
            status, text = answer.status, answer.read()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read()
    return status, json.loads(text) if text else None


def must(method, url, body=None, **options):
    status, answer = call(method, url, body, **options)
    if status >= 400:
        raise AssertionError(f"{method} {url}: {status} {answer}")
    return answer


class Images(http.server.BaseHTTPRequestHandler):
    """A server with one image."""

    def do_HEAD(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(IMAGE)))
        self.end_headers()

    def do_GET(self):
        self.do_HEAD()
        self.wfile.write(IMAGE)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def images():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Images)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/image.raw"
    server.shutdown()


def wait(what, ready, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"waited {seconds} s for {what}")


class Node:
    def __init__(self, url, mac, image):
        self.service = url
        info = {
            "image_source": image,
            "image_checksum": hashlib.sha256(IMAGE).hexdigest(),
            "image_type": "whole-disk",
            "image_disk_format": "raw",
        }
        body = {
            "driver": "fake-hardware",
            "deploy_interface": "direct",
            "management_interface": "noop",
            "instance_info": info,
            "driver_info": {"deploy_kernel": image, "deploy_ramdisk": image},
            "properties": {"capabilities": "boot_mode:uefi"},
            "automated_clean": False,
        }
        self.uuid = must("POST", url + "/v1/nodes", body)["uuid"]
        self.url = f"{url}/v1/nodes/{self.uuid}"
        must("POST", url + "/v1/ports", {"node_uuid": self.uuid, "address": mac})
        self.reach("manage", "manageable")
        self.reach("provide", "available")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        call("PATCH", self.url, [{"op": "add", "path": "/maintenance", "value": True}])
        call("PUT", self.url + "/states/provision", {"target": "deleted"})
        wait("the node to go", lambda: call("DELETE", self.url)[0] in (204, 404))

    def show(self):
        return must("GET", self.url)

    def ask(self, target, **more):
        must("PUT", self.url + "/states/provision", {"target": target, **more})

    def state(self, wanted):
        def ready():
            node = self.show()
            state = node["provision_state"]
            if state.endswith("failed") and state != wanted:
                raise AssertionError(f"{state} instead of {wanted}: {node['last_error']}")
            return node if state == wanted else None

        return wait(f"state {wanted}", ready)

    def reach(self, target, wanted, **more):
        self.ask(target, **more)
        return self.state(wanted)


class Checks:
    """How many things have held."""

    count = 0


def check(what, holds):
    Checks.count += 1
    if not holds:
        raise AssertionError(what)
