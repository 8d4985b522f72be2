#!/usr/bin/env python3
"""A BMC for a QEMU machine, made of sushy-tools' Redfish emulator: redfish.py DESCRIPTION

The machine takes the place of the emulator's own fake one.
"""
import os
import sys

import bcrypt
from werkzeug import serving

from qemu import Machine
from sushy_tools import error
from sushy_tools.emulator import main as emulator
from sushy_tools.emulator.resources.systems import fakedriver
from sushy_tools.emulator.resources.systems.base import AbstractSystemsDriver

MACHINE = Machine(sys.argv[1])
FACTS = MACHINE.facts
DEVICES = {"Pxe": "net", "Hdd": "disk", "Cd": "cd", "UefiHttp": "net"}


class Driver(AbstractSystemsDriver):
    source = "Hdd"
    mode = "UEFI"

    @classmethod
    def initialize(cls, config, logger, *rest, **more):
        cls._config, cls._logger = config, logger
        return cls

    @property
    def driver(self):
        return "<qemu>"

    @property
    def systems(self):
        return [FACTS["uuid"]]

    def known(self, identity):
        if identity == "machine":
            raise error.AliasAccessError(FACTS["uuid"])
        if identity != FACTS["uuid"]:
            raise error.NotFound(f"there is no system {identity}")

    def uuid(self, identity):
        return FACTS["uuid"]

    def name(self, identity):
        self.known(identity)
        return "machine"

    def get_power_state(self, identity):
        self.known(identity)
        return "On" if MACHINE.is_on() else "Off"

    def set_power_state(self, identity, state):
        self.known(identity)
        actions = {
            "On": MACHINE.on, "ForceOn": MACHINE.on, "ForceOff": MACHINE.off,
            "GracefulShutdown": MACHINE.soft, "GracefulRestart": MACHINE.restart,
            "ForceRestart": MACHINE.restart, "Nmi": MACHINE.interrupt,
        }
        if state not in actions:
            raise error.BadRequest(f"unknown reset {state}")
        actions[state]()

    def get_boot_device(self, identity):
        return Driver.source

    def set_boot_device(self, identity, boot_source):
        if boot_source not in DEVICES:
            raise error.BadRequest(f"unknown boot source {boot_source}")
        # The emulator does not say for how many boots.
        Driver.source, MACHINE.boot = boot_source, DEVICES[boot_source]

    def get_boot_mode(self, identity):
        return Driver.mode

    def set_boot_mode(self, identity, boot_mode):
        Driver.mode = boot_mode

    def get_secure_boot(self, identity):
        return False

    def get_total_memory(self, identity):
        return 1

    def get_total_cpus(self, identity):
        return 1

    def get_processors(self, identity):
        return []

    def get_bios(self, identity):
        return {}

    def get_versions(self, identity):
        return {"BiosVersion": "1.0.0"}

    def get_nics(self, identity):
        return [{"id": FACTS["mac"], "mac": FACTS["mac"]}]

    def get_simple_storage_collection(self, identity):
        return {}

    def get_boot_image(self, identity, device):
        medium = MACHINE.medium if device == "Cd" else None
        return medium, True, bool(medium)

    def set_boot_image(self, identity, device, boot_image=None, write_protected=True):
        if device == "Cd":
            MACHINE.insert(boot_image)

    def get_http_boot_uri(self, identity):
        return None


fakedriver.FakeDriver = Driver
users = MACHINE.path("users")
with open(users, "w") as file:
    secret = bcrypt.hashpw(FACTS["password"].encode(), bcrypt.gensalt(4)).decode()
    file.write(f"{FACTS['user']}:{secret}\n")
# Media that are fetched, and what is remembered of them.
os.environ["TMPDIR"] = FACTS["folder"]
emulator.app.configure(extra_config={
    "SUSHY_EMULATOR_FAKE_DRIVER": True,
    "SUSHY_EMULATOR_FAKE_SYSTEMS": [],
    "SUSHY_EMULATOR_STATE_DIR": FACTS["folder"],
    "SUSHY_EMULATOR_AUTH_FILE": users,
})
server = serving.make_server(FACTS["address"], FACTS["port"], emulator.app, threaded=True)
print("ready", flush=True)
server.serve_forever()
