#!/usr/bin/env python3
"""A BMC for a QEMU machine, made of pyghmi's server: ipmi.py DESCRIPTION

pyghmi forgets the flags of a boot device, so both directions of boot options are done here.
"""
import sys
import uuid

from pyghmi.ipmi import bmc
from qemu import Machine

# Selectors of IPMI.
DEVICES = {1: "net", 2: "disk", 5: "cd"}
VALID, PERSISTENT = 0x80, 0x40


class Controller(bmc.Bmc):
    def __init__(self, machine):
        facts = machine.facts
        super().__init__({facts["user"]: facts["password"]}, facts["port"],
                         address=facts["address"], bmcuuid=uuid.UUID(facts["uuid"]))
        self.machine = machine
        self.flags = [0, 0, 0, 0, 0]

    def get_system_guid(self):
        return uuid.UUID(self.machine.facts["uuid"])

    def cold_reset(self):
        return 0

    def get_power_state(self):
        return "on" if self.machine.is_on() else "off"

    def power_on(self):
        self.machine.on()
        if self.flags[0] & VALID and not self.flags[0] & PERSISTENT:
            self.flags = [0, 0, 0, 0, 0]

    def power_off(self):
        self.machine.off()

    def power_reset(self):
        self.machine.restart()

    def power_cycle(self):
        self.machine.restart()

    def power_shutdown(self):
        self.machine.soft()

    def pulse_diag(self):
        self.machine.interrupt()

    def set_system_boot_options(self, request, session):
        data = bytearray(request["data"])
        if data[0] & 0x7F == 5:
            self.flags = list(data[1:6])
            device = DEVICES.get(self.flags[1] >> 2 & 0x0F)
            if self.flags[0] & VALID and device:
                if self.flags[0] & PERSISTENT:
                    self.machine.boot, self.machine.once = device, None
                else:
                    self.machine.once = device
        session.send_ipmi_response()

    def get_system_boot_options(self, request, session):
        number = request["data"][0] & 0x7F
        if number != 5:
            return session.send_ipmi_response(code=0x80)
        return session.send_ipmi_response(data=[1, 5, *self.flags])


server = Controller(Machine(sys.argv[1]))
print("ready", flush=True)
server.listen()
