"""Real firmware: a QEMU machine that is deployed from Glance, and one that boots from a volume of Cinder.

The machines are emulated, with a card behind QEMU's own network, whose gateway is this computer: so
they reach the services on its loopback address, and nobody needs rights. Their BMC is `corten sim`. The
card's own iPXE is told by QEMU where to begin; from there everything comes from the service."""
import json
import os
import pathlib
import subprocess

import lives
from cloud import Failed, expect, until
from service import Node, Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
RAMDISK = ROOT / "target/ramdisk/virt-amd64"
# This computer, as machines see it.
GATEWAY = "10.0.2.2"
AGENT_PORT = 19999
# What the operating system of the image says when it is up.
UP = "E2E up"


def extra(service):
    """What differs from a service with fake machines."""
    return f"""[DEFAULT]
my_ip = {GATEWAY}
enabled_hardware_types = ipmi
enabled_boot_interfaces = ipxe
enabled_management_interfaces = ipmitool
enabled_power_interfaces = ipmitool
enabled_inspect_interfaces = no-inspect
enabled_rescue_interfaces = no-rescue
enabled_network_interfaces = noop
default_network_interface = noop
[dhcp]
dhcp_provider = none
[conductor]
automated_clean = false
deploy_kernel = file://{RAMDISK}/kernel
deploy_ramdisk = file://{RAMDISK}/initramfs
file_url_allowed_paths = {RAMDISK}
deploy_callback_timeout = 1800
[agent]
post_deploy_get_power_state_retries = 20
[deploy]
http_url = http://{GATEWAY}:{service.http}
[pxe]
kernel_append_params = console=ttyS0 no_timer_check panic=5 ipa-disk-wait-attempts=1 ipa-advertise-host=127.0.0.1 ipa-advertise-port={AGENT_PORT} ipa-listen-port={AGENT_PORT}
[service_catalog]
endpoint_override = http://{GATEWAY}:{service.port}
"""


def image(folder):
    """An operating system for whole disks, as raw bytes."""
    packed, raw = folder / "image.qcow2", folder / "image.raw"
    if not raw.exists():
        program = ROOT / "target/debug/corten-e2e"
        subprocess.run([program, "--image", packed, "--folder", folder / "e2e"], check=True)
        subprocess.run(["qemu-img", "convert", "-O", "raw", packed, raw], check=True)
    return raw.read_bytes()


class Machine:
    """A QEMU machine behind an IPMI BMC."""

    def __init__(self, program, folder, service, disk):
        self.folder, self.serial = folder, folder / "serial.log"
        folder.mkdir(parents=True, exist_ok=True)
        first = f"http://{GATEWAY}:{service.http}/boot.ipxe"
        words = ["-accel", "tcg,thread=multi", "-cpu", "max,avx2=off", "-smp", "1", "-nodefaults", "-m", "512",
                 "-machine", "pc,graphics=off", "-device", "virtio-rng-pci",
                 "-netdev", f"user,id=n0,bootfile={first},hostfwd=tcp:127.0.0.1:{AGENT_PORT}-:{AGENT_PORT}",
                 "-device", "virtio-net-pci,netdev=n0,mac={mac},bootindex={boot-net}"]
        if disk:
            path = folder / "disk.raw"
            with open(path, "wb") as out:
                out.truncate(disk)
            words += ["-drive", f"file={path},format=raw,if=none,id=d0,cache=unsafe,discard=unmap",
                      "-device", "virtio-blk-pci,drive=d0,serial=LAB0,bootindex={boot-disk}"]
        command = [program, "sim", "--listen", "127.0.0.1", "--format", "json", "--ipmi-port", "0",
                   "--redfish-port", "0", "--user", "admin", "--qemu", "qemu-system-x86_64",
                   "--qemu-serial-log", self.serial, *(f"--qemu-arg={word}" for word in words)]
        self.log = open(folder / "bmc.log", "w")
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=self.log,
                                        text=True, env={**os.environ, "CORTEN_SIM_PASSWORD": "password"})
        for line in self.process.stdout:
            if '"machines"' in line:
                self.told = json.loads(line)["machines"][0]
                return
        raise Failed(f"the BMC does not start; see {folder}/bmc.log")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)

    def says(self, text, seconds=900):
        def said():
            return self.serial.exists() and text in self.serial.read_text(errors="replace")

        until(f"the console to say {text!r}", said, seconds, pause=1)


class RealNode(Node):
    """The node of such a machine."""

    def __init__(self, service, machine, **more):
        # Not as machines that are not there.
        self.service, told = service, machine.told
        info = {"ipmi_address": "127.0.0.1", "ipmi_port": told["ipmi_port"],
                "ipmi_username": "admin", "ipmi_password": "password"}
        body = {"driver": "ipmi", "driver_info": info, "deploy_interface": "direct", "boot_interface": "ipxe",
                "properties": {"capabilities": "boot_mode:bios,iscsi_boot:true", "cpu_arch": "x86_64"}, **more}
        self.uuid = service.ask("POST", "/v1/nodes", body)["uuid"]
        self.path = f"/v1/nodes/{self.uuid}"
        port = {"node_uuid": self.uuid, "address": told["macs"][0], "pxe_enabled": True}
        service.ask("POST", "/v1/ports", port)


def leg(lab, given, folder, say):
    for name in ("kernel", "initramfs"):
        expect((RAMDISK / name).exists(), f"there is no {RAMDISK}/{name}: run scripts/ramdisk virt")
    data = image(folder.parent)
    glance = lab.image("machine", data)
    service = Service(lab, given.program, folder)
    service.configure(extra(service))
    with service:
        deployed(lab, given, folder / "glance", service, glance, say)
        booted(lab, given, folder / "volume", service, glance, say)
    lives.nothing_left(lab, "machines")
    lives.no_secrets(service, folder)


def deployed(lab, given, folder, service, glance, say):
    machine = Machine(given.program, folder, service, 5 << 30)
    try:
        node = RealNode(service, machine)
        node.does("manage", "manageable")
        node.does("provide", "available")
        node.set(instance_info={"image_source": glance})
        node.ask("active")
        node.reaches("active", seconds=1800)
        machine.says(UP)
        say("machines: a QEMU machine was deployed from Glance and its system is up")
        node.ask("deleted")
        node.reaches("available", seconds=600)
        node.delete()
    finally:
        machine.stop()


def booted(lab, given, folder, service, glance, say):
    volume = lab.volume(image=glance)
    machine = Machine(given.program, folder, service, None)
    try:
        node = RealNode(service, machine, storage_interface="cinder")
        lives.with_volumes(service, node, [(0, volume)])
        node.does("manage", "manageable")
        node.does("provide", "available")
        node.ask("active")
        node.reaches("active", seconds=600)
        machine.says(UP)
        say("machines: a QEMU machine booted from a Cinder volume by iPXE, with CHAP")
        node.ask("deleted")
        node.reaches("available", seconds=600)
        node.delete()
    finally:
        machine.stop()
    lab.ironic.ask("block-storage", "DELETE", f"/volumes/{volume}")
