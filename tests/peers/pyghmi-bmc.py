#!/usr/bin/env python3
"""A BMC without a machine, made of pyghmi's server: IPMI 2.0 with cipher suite 3.

It keeps boot flags as they are written, has three sensors, an identify light and a serial line
that repeats what it hears. Each change is a line on standard output, so that tests see what
arrived; a line from standard input is repeated there, after what arrived before. It ends when
standard input does.

Options: --wrong-boot (every boot device becomes the disk), --busy N (the first N chassis requests
are answered "node busy").
"""
import argparse
import os
import struct
import sys
import threading
import uuid

from pyghmi.ipmi import bmc

# Number, name, kind, unit, reading.
SENSORS = [(1, "CPU Temp", 1, 1, 42), (2, "Inlet Temp", 1, 1, 24), (3, "FAN1", 4, 18, 60)]
NODE_BUSY = 0xC0


def record(number, name, kind, unit, reading):
    """A full sensor record: values are raw numbers, three upper thresholds."""
    body = bytes([0x20, 0, number, 3, 1, 0x7F, 0x68, kind, 1])
    body += struct.pack("<HHH", 0x0A80, 0x0A80, 0x3838)
    body += bytes([0, unit, 0, 0, 1, 0, 0, 0, 0, 0])
    body += bytes([1, reading, 255, 0, 255, 0, 95, 90, 85, 0, 0, 0, 2, 2, 0, 0, 0])
    body += bytes([0xC0 | len(name)]) + name.encode()
    return struct.pack("<HBBB", number, 0x51, 1, len(body)) + body


def compact(number, name, kind):
    """A record of a sensor that has states instead of numbers."""
    body = bytes([0x20, 0, number, 23, 1, 0x6F, 0x40, kind, 0x6F])
    body += struct.pack("<HHH", 1, 1, 1) + bytes([0xC0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    body += bytes([0xC0 | len(name)]) + name.encode()
    return struct.pack("<HBBB", number, 0x51, 2, len(body)) + body


class TestBmc(bmc.Bmc):
    def __init__(self, options):
        users = {options.user: options.password}
        super().__init__(users, options.port, address="127.0.0.1", bmcuuid=uuid.UUID(int=1))
        self.options = options
        self.power = "off"
        self.boot = [0, 0, 0, 0, 0]
        self.light = 0
        self.heard = b""
        self.records = [record(*sensor) for sensor in SENSORS]
        self.records.append(compact(4, "Intrusion", 5))

    def tell(self, text):
        print(text, flush=True)

    def switch(self, power, text):
        self.power = power
        self.tell(text)

    def get_system_guid(self):
        return uuid.UUID(int=1)

    def cold_reset(self):
        self.tell("bmc reset cold")
        return 0

    def get_power_state(self):
        return self.power

    def power_on(self):
        self.switch("on", "power on")

    def power_off(self):
        self.switch("off", "power off")

    def power_reset(self):
        self.tell("power reset")

    def power_shutdown(self):
        self.switch("off", "power soft")

    def pulse_diag(self):
        self.tell("power diag")

    def is_active(self):
        return True

    def iohandler(self, data):
        if isinstance(data, str):
            data = data.encode("latin1")
        self.heard += bytes(data)
        self.repeat_heard()

    def repeat_heard(self):
        # pyghmi hands out the first characters before it has noted the line.
        if self.sol and self.heard:
            heard, self.heard = self.heard, b""
            self.sol.send_data(heard)

    def activate_payload(self, request, session):
        super().activate_payload(request, session)
        self.repeat_heard()

    def handle_raw_request(self, request, session):
        function, command = request["netfn"], request["command"]
        data = bytearray(request["data"])

        def answer(*body, code=0):
            session.send_ipmi_response(data=list(body), code=code)

        if function == 0 and self.options.busy > 0:
            self.options.busy -= 1
            return answer(code=NODE_BUSY)
        known = {
            (0, 0x01): self.chassis_status,
            (0, 0x04): self.identify,
            (0, 0x08): self.set_boot_option,
            (0, 0x09): self.boot_option,
            (6, 0x03): self.warm_reset,
            (4, 0x2D): self.reading,
            (4, 0x27): self.thresholds,
            (0x0A, 0x20): self.repository,
            (0x0A, 0x22): self.reserve,
            (0x0A, 0x23): self.sensor_record,
            (0x2C, 0x41): self.speed_select,
        }.get((function, command))
        if known is None:
            return super().handle_raw_request(request, session)
        return known(data, answer)

    def send_device_id(self, session):
        # Made by Supermicro, with sensors, their records and a chassis.
        body = [0x20, 0x81, 1, 0x10, 2, 0x8F, 0x7C, 0x2A, 0, 1, 0]
        session.send_ipmi_response(data=body)

    def chassis_status(self, data, answer):
        answer(1 if self.power == "on" else 0, 0, 0x40 | self.light << 4, 0)

    def identify(self, data, answer):
        is_forced = len(data) > 1 and data[1] & 1
        self.light = 2 if is_forced else 1 if data and data[0] else 0
        self.tell(f"identify {self.light}")
        answer()

    def set_boot_option(self, data, answer):
        self.tell("boot option " + data.hex(" "))
        if data[0] & 0x7F == 5:
            self.boot = list(data[1:6])
            if self.options.wrong_boot:
                self.boot[1] = 2 << 2
        answer()

    def boot_option(self, data, answer):
        number = data[0] & 0x7F
        if number != 5:
            return answer(code=0x80)
        return answer(1, 5, *self.boot)

    def warm_reset(self, data, answer):
        self.tell("bmc reset warm")
        answer()

    def reading(self, data, answer):
        for number, _, _, _, reading in SENSORS:
            if number == data[0]:
                return answer(reading, 0xC0, 0xC0)
        # The chassis is open.
        return answer(0, 0xC0, 0x01, 0x80) if data[0] == 4 else answer(code=0xCB)

    def thresholds(self, data, answer):
        answer(0x38, 0, 0, 0, 85, 90, 95)

    def repository(self, data, answer):
        answer(0x51, len(self.records), 0, 0, 0, *([0] * 8), 0x02)

    def reserve(self, data, answer):
        answer(1, 0)

    def sensor_record(self, data, answer):
        number = data[2] | data[3] << 8
        at = 0 if number == 0 else number - 1
        if at >= len(self.records):
            return answer(code=0xCB)
        following = at + 2 if at + 1 < len(self.records) else 0xFFFF
        offset, count = data[4], data[5]
        if count > 24:
            return answer(code=0xCA)
        part = self.records[at][offset : offset + count]
        return answer(following & 0xFF, following >> 8, *part)

    def speed_select(self, data, answer):
        self.tell("speed select " + data.hex(" "))
        answer()


def listen_to_input():
    for line in sys.stdin:
        print(line, end="", flush=True)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--user", default="admin")
    parser.add_argument("--password", default="password")
    parser.add_argument("--wrong-boot", action="store_true")
    parser.add_argument("--busy", type=int, default=0)
    server = TestBmc(parser.parse_args())
    threading.Thread(target=listen_to_input, daemon=True).start()
    server.tell("ready")
    server.listen()


main()
