"""Corten beside the services of the lab: its configuration, its process, and requests to its API."""
import json
import os
import pathlib
import signal
import socket
import subprocess

from cloud import PASSWORD, TAPPED, Failed, expect, send, until

VERSION = "1.109"
KEYSTONE_DIRECT = "http://127.0.0.1:16000/v3"


def free_port(kind=socket.SOCK_STREAM):
    with socket.socket(type=kind) as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def login(url=TAPPED, region="Tapped"):
    """How the service user logs in, as lines of a section."""
    return f"""auth_type = password
auth_url = {url}
username = ironic
password = {PASSWORD}
user_domain_id = default
project_name = service
project_domain_id = default
region_name = {region}
"""


def configuration(folder, port, http, tftp, extra=""):
    """What a cloud's configuration file has. Options of `extra` win, as it is read last."""
    return f"""[DEFAULT]
auth_strategy = keystone
my_ip = 127.0.0.1
enabled_hardware_types = fake-hardware
enabled_boot_interfaces = fake,ipxe,pxe
enabled_deploy_interfaces = direct,fake
enabled_inspect_interfaces = agent,fake,no-inspect
enabled_management_interfaces = fake,noop
enabled_network_interfaces = noop,flat,neutron
enabled_power_interfaces = fake
enabled_rescue_interfaces = agent,fake,no-rescue
enabled_storage_interfaces = noop,cinder
default_network_interface = neutron
[api]
host_ip = 127.0.0.1
port = {port}
[agent]
require_tls = false
deploy_logs_collect = never
post_deploy_get_power_state_retries = 0
post_deploy_get_power_state_retry_interval = 0
command_wait_interval = 1
[conductor]
automated_clean = true
deploy_kernel = file://{folder}/files/kernel
deploy_ramdisk = file://{folder}/files/ramdisk
rescue_kernel = file://{folder}/files/kernel
rescue_ramdisk = file://{folder}/files/ramdisk
file_url_allowed_paths = {folder}/files
deploy_callback_timeout = 120
[deploy]
configdrive_use_object_store = true
http_url = http://127.0.0.1:{http}
http_root = {folder}/http
erase_devices_priority = 0
[inventory]
data_backend = swift
[pxe]
tftp_root = {folder}/tftp
tftp_server = 192.0.2.1
images_path = {folder}/images
tftp_master_path = {folder}/masters
instance_master_path = {folder}/instance-masters
[dhcp]
dhcp_provider = neutron
[corten]
data_dir = {folder}/data
networks_allowed = 127.0.0.1
http_listen = 127.0.0.1:{http}
tftp_listen = 127.0.0.1:{tftp}
[keystone_authtoken]
{login(KEYSTONE_DIRECT, "RegionOne")}
[service_catalog]
{login()}endpoint_override = http://127.0.0.1:{port}
[glance]
{login()}
[neutron]
{login()}cleaning_network = cleaning
provisioning_network = provisioning
rescuing_network = rescuing
inspection_network = inspection
servicing_network = servicing
[swift]
{login()}
[cinder]
{login()}action_retry_interval = 1
[nova]
{login()}
{extra}
"""


class Service:
    """A running `corten serve`."""

    # What is written to the log.
    levels = "info,conductor=debug,drivers=debug,openstack=debug"

    def __init__(self, lab, program, folder, extra=""):
        self.lab, self.program, self.folder = lab, program, pathlib.Path(folder)
        self.log = self.folder / "corten.log"
        self.port, self.http, self.tftp = free_port(), free_port(), free_port(socket.SOCK_DGRAM)
        self.url, self.process = f"http://127.0.0.1:{self.port}", None
        (self.folder / "files").mkdir(parents=True, exist_ok=True)
        for name in ("kernel", "ramdisk"):
            (self.folder / "files" / name).write_bytes(b"\7" * 4096)
        self.configure(extra)

    def configure(self, extra=""):
        text = configuration(self.folder, self.port, self.http, self.tftp, extra)
        (self.folder / "corten.conf").write_text(text)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        command = [self.program, "serve", "--config-file", self.folder / "corten.conf"]
        with open(self.log, "a") as out:
            self.process = subprocess.Popen(
                [str(part) for part in command], stdout=out, stderr=out, env={**os.environ, "CORTEN_LOG": self.levels})

        def answers():
            if self.process.poll() is not None:
                tail = "\n".join(self.log.read_text().splitlines()[-20:])
                raise Failed(f"the service does not start:\n{tail}")
            try:
                return send("GET", self.url + "/")[0] == 200
            except OSError:
                return False

        until("the service to answer", answers, pause=0.05)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)

    def try_to(self, method, path, body=None, version=VERSION):
        headers = {"X-Auth-Token": self.lab.system.get(), "X-OpenStack-Ironic-API-Version": version}
        status, _, answer = send(method, self.url + path, body, headers)
        return status, json.loads(answer) if answer else None

    def ask(self, method, path, body=None):
        status, answer = self.try_to(method, path, body)
        expect(status < 300, f"{method} {path}: {status} {answer}")
        return answer

    def cpu(self):
        """Seconds of CPU that the process has used."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Node:
    """A node of the service and what is done with it."""

    count = 0

    def __init__(self, service, network="neutron", **more):
        Node.count += 1
        number = Node.count
        self.service = service
        self.mac = f"52:54:00:77:{number // 256:02x}:{number % 256:02x}"
        body = {"driver": "fake-hardware", "name": f"machine-{number}", "boot_interface": "ipxe",
                "deploy_interface": "direct", "management_interface": "noop", "inspect_interface": "agent",
                "rescue_interface": "agent", "network_interface": network,
                "properties": {"capabilities": "boot_mode:uefi,iscsi_boot:true", "cpu_arch": "x86_64"}, **more}
        self.uuid = service.ask("POST", "/v1/nodes", body)["uuid"]
        self.path = f"/v1/nodes/{self.uuid}"
        link = {"switch_id": "00:11:22:33:44:55", "port_id": f"Ethernet1/{number}", "switch_info": "lab-switch"}
        port = {"node_uuid": self.uuid, "address": self.mac, "physical_network": "physnet1",
                "local_link_connection": link, "pxe_enabled": True}
        self.port = service.ask("POST", "/v1/ports", port)["uuid"]

    def show(self):
        return self.service.ask("GET", self.path)

    def set(self, **values):
        patch = [{"op": "add", "path": "/" + key.replace("__", "/"), "value": value} for key, value in values.items()]
        until("the lock", lambda: self.patched(patch))

    def patched(self, patch):
        status, answer = self.service.try_to("PATCH", self.path, patch)
        expect(status in (200, 409), f"PATCH {patch}: {status} {answer}")
        return status == 200

    def power(self, target):
        self.service.ask("PUT", self.path + "/states/power", {"target": target})
        wanted = "power off" if target == "power off" else "power on"
        until(target, lambda: self.rests() and self.show()["power_state"] == wanted)

    def rests(self):
        node = self.show()
        return node["reservation"] is None and node["target_power_state"] is None

    def ask(self, target, **more):
        self.service.ask("PUT", self.path + "/states/provision", {"target": target, **more})

    def reaches(self, *wanted, seconds=180):
        def there():
            node = self.show()
            state = node["provision_state"]
            if state in wanted and node["reservation"] is None:
                return node
            if (state.endswith("failed") or state == "error") and node["reservation"] is None:
                raise Failed(f"{state} instead of {wanted}: {node['last_error']}")
            return None

        return until(f"{self.uuid} to be {wanted}", there, seconds)

    def does(self, target, *wanted, **more):
        self.ask(target, **more)
        return self.reaches(*wanted)

    def vif(self, port):
        self.service.ask("POST", self.path + "/vifs", {"id": port})

    def delete(self):
        until("the lock", lambda: self.service.try_to("DELETE", self.path)[0] in (204, 404))
