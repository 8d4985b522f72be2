"""Agents of machines that do not exist: one server plays them all.

A machine whose node waits for its agent looks itself up, reports, and does what it is told: images
and config drives are fetched from where the service says, and compared with their checksums.
"""
import base64
import hashlib
import http.server
import json
import threading
import time
import urllib.parse

from cloud import Failed, send

WAITS = ("wait call-back", "clean wait", "rescue wait", "service wait", "inspect wait")
STEPS = {
    "clean": [{"step": "erase_devices_metadata", "priority": 99, "interface": "deploy",
               "reboot_requested": False, "abortable": True}],
    "deploy": [{"step": "write_image", "priority": 0, "interface": "deploy", "reboot_requested": False,
                "argsinfo": {"image_info": {"required": True, "description": "x"}}}],
    "service": [{"step": "wave", "priority": 0, "interface": "deploy", "reboot_requested": False}],
}
INVENTORY = {
    "interfaces": [], "cpu": {"count": 4, "architecture": "x86_64"}, "memory": {"physical_mb": 4096},
    "disks": [], "bmc_address": "192.0.2.9",
}


class Agent:
    """What one machine's ramdisk remembers."""

    def __init__(self, token, weak, late):
        self.token, self.weak, self.late, self.commands, self.fetched = token, weak, late, [], []

    def obey(self, name, params):
        kind, _, verb = name.partition(".")
        status, result, error = "SUCCEEDED", {"result": "ok"}, None
        try:
            if verb == "get_partition_uuids":
                result = {"root uuid": "0xdeadbeef", "partitions": {}}
            elif verb == "collect_system_logs":
                result = {"system_logs": base64.b64encode(b"logs").decode()}
            elif verb.startswith("get_"):
                result = {f"{kind}_steps": {"GenericHardwareManager": STEPS.get(kind, [])},
                          "hardware_manager_version": {"generic_hardware_manager": "1.2"}}
            elif verb.startswith("execute_"):
                step = params["step"]
                if step["step"] == "write_image":
                    self.write(step["args"])
                result = {f"{kind}_step": step, f"{kind}_result": None}
        except (OSError, Failed, KeyError, ValueError) as failure:
            status, error = "FAILED", {"type": "X", "code": 500, "message": repr(failure), "details": repr(failure)}
        command = {"id": str(len(self.commands)), "command_name": verb, "command_status": status,
                   "command_error": error, "command_result": result}
        self.commands.append(command)
        # Steps take their time: they are found ended at the next report.
        return {**command, "command_status": "RUNNING"} if verb.startswith("execute_") else command

    def write(self, args):
        image = args["image_info"]
        time.sleep(self.late)
        status, _, data = send("GET", image["urls"][0])
        if status != 200:
            raise Failed(f"the image answers {status}")
        algorithm, value = image.get("os_hash_algo"), image.get("os_hash_value")
        if not algorithm and self.weak:
            algorithm, value = "md5", image["checksum"]
        if not algorithm:
            raise Failed("the image has no checksum but MD5")
        if hashlib.new(algorithm, data).hexdigest() != value:
            raise Failed("the image is another one")
        drive = args.get("configdrive") or ""
        if drive.startswith("http"):
            status, _, drive = send("GET", drive)
            if status != 200:
                raise Failed(f"the config drive answers {status}")
        self.fetched.append((len(data), image["urls"][0], len(drive)))


class Agents:
    """All machines of one service. `weak` agents are content with MD5: Ironic tells them nothing else;
    `late` ones wait so many seconds before they fetch an image."""

    def __init__(self, service, pause=0.15, weak=False, late=0):
        self.service, self.pause, self.weak, self.late = service, pause, weak, late
        self.agents, self.fetched, self.faults = {}, [], 0
        self.ended = threading.Event()
        handler = type("Handler", (Handler,), {"owner": self})
        self.server = Server(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.threads = [threading.Thread(target=target, daemon=True)
                        for target in (self.server.serve_forever, self.live)]
        for thread in self.threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.threads[1].join()
        self.server.shutdown()

    def live(self):
        fields = "uuid,provision_state,power_state,driver_internal_info"
        while not self.ended.wait(self.pause):
            try:
                for node in self.service.ask("GET", f"/v1/nodes?fields={fields}&limit=1000")["nodes"]:
                    self.look(node)
            except (OSError, Failed, ValueError):
                # The service is being killed, which is what some tests are about.
                self.faults += 1

    def look(self, node):
        uuid = node["uuid"]
        if node["power_state"] != "power on":
            self.agents.pop(uuid, None)
            return
        if node["provision_state"] not in WAITS:
            return
        if node["provision_state"] == "inspect wait":
            self.inspect(uuid)
            return
        agent = self.agents.get(uuid)
        if agent is None:
            status, found = self.service.try_to("GET", f"/v1/lookup?node_uuid={uuid}")
            if status != 200:
                return
            agent = self.agents[uuid] = Agent(found["config"]["agent_token"], self.weak, self.late)
        body = {"callback_url": f"{self.url}/{uuid}", "agent_version": "13.0.0", "agent_token": agent.token}
        status, _ = self.service.try_to("POST", f"/v1/heartbeat/{uuid}", body)
        if status not in (202, 409):
            # It was switched off and on in between, and knows nothing any more.
            self.agents.pop(uuid, None)

    def inspect(self, uuid):
        ports = self.service.ask("GET", f"/v1/ports/detail?node={uuid}")["ports"]
        cards = [{"name": f"eth{n}", "mac_address": port["address"], "has_carrier": True}
                 for n, port in enumerate(ports)]
        boot = {"current_boot_mode": "uefi", "pxe_interface": ports[0]["address"]}
        inventory = {**INVENTORY, "interfaces": cards, "boot": boot}
        self.service.try_to("POST", f"/v1/continue_inspection?node_uuid={uuid}", {"inventory": inventory})


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Whoever is killed in the middle of a request is no error here."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def agent(self):
        place = urllib.parse.urlsplit(self.path)
        agent = self.owner.agents.get(place.path.split("/")[1])
        token = urllib.parse.parse_qs(place.query).get("agent_token", [None])[0]
        return agent if agent and token == agent.token else None

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        agent = self.agent()
        if agent is None:
            self.answer(401, {"faultcode": "Client", "faultstring": "Token invalid."})
        else:
            self.answer(200, {"commands": agent.commands})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        agent = self.agent()
        if agent is None:
            self.answer(401, {"faultcode": "Client", "faultstring": "Token invalid."})
            return
        command = agent.obey(body["name"], body.get("params") or {})
        self.owner.fetched += agent.fetched
        agent.fetched = []
        self.answer(200, command)

    def log_message(self, *_):
        pass
