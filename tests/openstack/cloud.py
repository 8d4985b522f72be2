"""The real services of the lab: how they are asked, what they have, and what passes the recorders."""
import json
import os
import pathlib
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request

PASSWORD = "lab-secret"
SWITCH = "00:11:22:33:44:55"
KEYSTONE = "http://127.0.0.1:16000/v3"
TAPPED = "http://127.0.0.1:17000/v3"
# Requests that take longer than this are lost.
PATIENCE = 120


class Failed(Exception):
    """Something that must hold does not."""


def expect(truth, text):
    if not truth:
        raise Failed(text)


def send(method, url, body=None, headers=None, timeout=PATIENCE):
    """Status, headers and bytes of an answer."""
    headers = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    request = urllib.request.Request(url, body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def until(what, ready, seconds=PATIENCE, pause=0.1):
    end = time.monotonic() + seconds
    while True:
        found = ready()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"waited {seconds} s for {what}")
        time.sleep(pause)


class Login:
    """A token of somebody, renewed before it expires."""

    def __init__(self, user, project=None):
        self.user, self.project = user, project
        self.lock = threading.Lock()
        self.until, self.token, self.catalogue = 0, None, {}

    def get(self):
        with self.lock:
            if time.time() > self.until:
                self.renew()
            return self.token

    def renew(self):
        domain = {"id": "default"}
        scope = {"system": {"all": True}}
        if self.project:
            scope = {"project": {"name": self.project, "domain": domain}}
        user = {"name": self.user, "domain": domain, "password": PASSWORD}
        identity = {"methods": ["password"], "password": {"user": user}}
        body = {"auth": {"identity": identity, "scope": scope}}
        status, headers, answer = send("POST", KEYSTONE + "/auth/tokens", body)
        expect(status == 201, f"{self.user} cannot log in: {status} {answer}")
        token = json.loads(answer)["token"]
        self.token, self.until = headers["X-Subject-Token"], time.time() + 1800
        for service in token.get("catalog", []):
            for endpoint in service["endpoints"]:
                if endpoint["region"] == "RegionOne" and endpoint["interface"] == "public":
                    self.catalogue[service["type"]] = endpoint["url"]

    def ask(self, service, method, path, body=None, headers=None):
        """A request to a service of the catalogue that must succeed; its answer."""
        status, found, answer = self.try_to(service, method, path, body, headers)
        expect(status < 300, f"{method} {path}: {status} {answer[:500]}")
        try:
            return json.loads(answer) if answer else found
        except ValueError:
            return answer

    def try_to(self, service, method, path, body=None, headers=None):
        token = self.get()
        url = self.catalogue[service] + path
        return send(method, url, body, {"X-Auth-Token": token, **(headers or {})})


class Lab:
    """The services, started by the scripts in LAB, with their data in a folder."""

    SERVICES = ["mariadb", "rabbitmq", "keystone", "glance", "neutron", "swift", "cinder"]

    def __init__(self, scripts, folder):
        self.scripts, self.folder = pathlib.Path(scripts), pathlib.Path(folder)
        self.tap = self.folder / "tap.jsonl"
        self.ironic, self.admin = Login("ironic", "service"), Login("admin", "admin")
        self.system = Login("admin")

    def script(self, name, *arguments, **variables):
        environment = {**os.environ, "WORKDIR": str(self.folder), **variables}
        subprocess.run([self.scripts / name, *arguments], env=environment, check=True)

    def start(self):
        self.script("install.sh")
        self.script("up.sh")
        self.script("compute-events.sh")
        self.script("tap.sh")

    def is_up(self):
        try:
            return (self.folder / "run" / "tap.pid").exists() and send("GET", TAPPED)[0] == 200
        except OSError:
            return False

    def stop(self):
        self.script("stop.sh")

    def settle(self):
        """Networks, images and keys that a cloud has, unless they are there."""
        names = ("cleaning", "provisioning", "rescuing", "inspection", "servicing", "tenant")
        self.networks = {name: self.network(name, number) for number, name in enumerate(names)}
        account = {"X-Account-Meta-Temp-URL-Key": "lab-temp-url-key"}
        self.ironic.ask("object-store", "POST", "", headers=account)
        self.ironic.ask("object-store", "PUT", "/glance")

    def network(self, name, number):
        found = self.admin.ask("network", "GET", f"/v2.0/networks?name={name}")["networks"]
        if found:
            return found[0]["id"]
        body = {"network": {"name": name, "shared": True}}
        network = self.admin.ask("network", "POST", "/v2.0/networks", body)["network"]["id"]
        subnet = {"network_id": network, "ip_version": 4, "cidr": f"10.90.{number}.0/24", "enable_dhcp": True}
        self.admin.ask("network", "POST", "/v2.0/subnets", {"subnet": subnet})
        return network

    def image(self, name, data, disk_format="raw", container_format="bare", in_swift=False, **properties):
        """The id of a new image; where Glance has no Swift, its bytes are put there beside it."""
        body = {"name": name, "disk_format": disk_format, "container_format": container_format,
                "visibility": "public", **properties}
        image = self.admin.ask("image", "POST", "/v2/images", body)["id"]
        kind = {"Content-Type": "application/octet-stream"}
        self.admin.ask("image", "PUT", f"/v2/images/{image}/file", data, kind)
        if in_swift:
            self.ironic.ask("object-store", "PUT", f"/glance/{image}", data, kind)
        return image

    def volume(self, size=1, image=None):
        body = {"volume": {"size": size, "name": "corten", **({"imageRef": image} if image else {})}}
        volume = self.ironic.ask("block-storage", "POST", f"{self.project()}/volumes", body)["volume"]["id"]

        def ready():
            status = self.volume_of(volume)["status"]
            expect(status != "error", f"volume {volume} is in error")
            return status == "available"

        until(f"volume {volume}", ready)
        return volume

    def project(self):
        """What stands between Cinder's endpoint and its paths: nothing, as volumes are found without."""
        self.ironic.get()
        return ""

    def volume_of(self, volume):
        return self.ironic.ask("block-storage", "GET", f"/volumes/{volume}")["volume"]

    def tenant_port(self, network="tenant"):
        body = {"port": {"network_id": self.networks[network], "admin_state_up": True}}
        return self.ironic.ask("network", "POST", "/v2.0/ports", body)["port"]["id"]

    def port(self, port):
        return self.ironic.ask("network", "GET", f"/v2.0/ports/{port}")["port"]

    def ports(self):
        return self.admin.ask("network", "GET", "/v2.0/ports")["ports"]

    def remainders(self):
        """Everything in the cloud that was made for machines: boot ports, bound ports, attachments and
        objects. Images, volumes and tenant ports are the users' own."""
        left = []
        for port in self.ports():
            owner, host = port["device_owner"], port["binding:host_id"]
            # A boot port has a device before it has an owner and a host.
            if owner.startswith("baremetal") or host or (port["device_id"] and not owner):
                left.append(f"port {port['id']} of {owner or port['device_id'] or 'nobody'} on host {host or 'none'}")
        for volume in self.ironic.ask("block-storage", "GET", "/volumes/detail")["volumes"]:
            if volume["attachments"] or volume["status"] not in ("available", "error", "deleting"):
                left.append(f"volume {volume['id']} is {volume['status']}: {volume['attachments']}")
        for container in self.ironic.ask("object-store", "GET", "?format=json"):
            # Logs outlive their machines and expire; images are Glance's.
            if container["name"] in ("glance", "ironic_deploy_logs_container"):
                continue
            for thing in self.ironic.ask("object-store", "GET", f"/{container['name']}?format=json"):
                left.append(f"object {container['name']}/{thing['name']}")
        return left

    def events(self):
        """What the compute service was told."""
        file = self.folder / "data" / "compute-events.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def scene(self, name):
        (self.folder / "tap.jsonl.scene").write_text(name)

    def faults(self, *rules):
        """The recorders' faults from now on; none without rules."""
        path = self.folder / "tap.jsonl.rules"
        if not rules:
            path.unlink(missing_ok=True)
            return
        new = path.with_suffix(".new")
        new.write_text(json.dumps(rules))
        new.rename(path)

    def asked(self, since=0):
        """What passed the recorders after so many bytes, and how many there are now."""
        with open(self.tap) as file:
            file.seek(since)
            text = file.read()
        text = text[: text.rfind("\n") + 1]
        return [json.loads(line) for line in text.splitlines()], since + len(text.encode())

    def switch_log(self):
        return self.folder / "log" / "neutron.log"

    def switch_story(self, since):
        """How many commands the switch got after so many bytes of its log, and where it was told to put
        a port on a network that was still on another one."""
        with open(self.switch_log(), errors="replace") as file:
            file.seek(since)
            text = file.read()
        commands = re.findall(r"fake \[.*?\] (plug port|delete port) (\S+)(?: to network (\d+))?", text)
        plugged, wrong = {}, []
        for command, port, network in commands:
            if command == "delete port":
                plugged.pop(port, None)
            elif plugged.setdefault(port, network) != network:
                wrong.append(f"{port} was on {plugged[port]} and is put on {network}")
                plugged[port] = network
        return len(commands), wrong


class Watch(threading.Thread):
    """Looks at Neutron all the time, and at the switch's log in the end: no machine may be on two networks
    at once. Where it could not look, or saw nothing of machines that are plugged, it fails as well."""

    def __init__(self, lab, plugs=True):
        super().__init__(daemon=True)
        self.lab, self.plugs, self.ended = lab, plugs, threading.Event()
        self.looks, self.missed, self.bound, self.wrong, self.broken = 0, 0, set(), [], None
        self.begin = lab.switch_log().stat().st_size
        self.start()

    def run(self):
        pause = 0.05
        try:
            while not self.ended.wait(pause):
                begun = time.monotonic()
                self.look()
                # On a busy computer Neutron has more to do than to be looked at.
                pause = max(0.05, 2 * (time.monotonic() - begun))
        except Exception as error:  # It is told by whoever waits for the end.
            self.broken = error

    def look(self):
        try:
            ports = self.lab.ports()
        except (OSError, Failed):
            self.missed += 1
            return
        self.looks += 1
        bound = {}
        for port in ports:
            if port["binding:host_id"] and port["binding:vif_type"] not in ("unbound", "binding_failed"):
                bound.setdefault(port["mac_address"], set()).add(port["network_id"])
        self.bound.update(bound)
        for mac, networks in bound.items():
            if len(networks) > 1:
                self.wrong.append(f"{mac} is on {sorted(networks)}")

    def stop(self):
        """Fails where something was wrong, or was not seen; tells what was looked at."""
        self.ended.set()
        self.join()
        commands, wrong = self.lab.switch_story(self.begin)
        expect(self.broken is None, f"nobody looked at Neutron any more after {self.looks} looks: {self.broken!r}")
        expect(self.looks > self.missed, f"Neutron could be looked at {self.looks} times, and not {self.missed} times")
        expect(not self.wrong, f"bound to two networks: {self.wrong[:3]}")
        expect(not wrong, f"the switch has two networks on a port: {wrong[:3]}")
        if self.plugs:
            expect(self.bound, f"no machine was seen on any network in {self.looks} looks at Neutron")
            expect(commands, "the switch's log has no command that plugs a port")
        return (f"looked at Neutron {self.looks} times, saw {len(self.bound)} machines, and looked at "
                f"{commands} commands of the switch")
