"""A machine that is a QEMU process, for BMCs that others wrote.

The description is a file that the tests write: program, arguments, uuid, mac, and where the serial
port is logged. In the arguments {boot-net} and {boot-disk} stand for the places of the devices in
the boot order. Which device comes first is decided when the process starts.
"""
import json
import os
import socket
import subprocess
import threading

PLACES = {"net": (1, 2, 3), "disk": (2, 1, 3), "cd": (3, 2, 1)}


class Machine:
    def __init__(self, description):
        with open(description) as file:
            self.facts = json.load(file)
        self.process = None
        self.boot = "disk"
        self.once = None
        self.medium = None
        self.lock = threading.RLock()

    def path(self, name):
        return os.path.join(self.facts["folder"], name)

    def is_on(self):
        with self.lock:
            return self.process is not None and self.process.poll() is None

    def command(self):
        net, disk, cd = PLACES[self.once or self.boot]
        medium = f",format=raw,file={self.medium}" if self.medium else ""
        serial = f"socket,id=serial0,path={self.path('serial.sock')},server=on,wait=off"
        return [
            self.facts["program"],
            *("-display", "none", "-uuid", self.facts["uuid"]),
            *("-qmp", f"unix:{self.path('qmp.sock')},server=on,wait=off"),
            *("-chardev", f"{serial},logfile={self.facts['serial']},logappend=on"),
            *("-serial", "chardev:serial0"),
            *("-drive", f"id=cd0,if=none,media=cdrom,readonly=on{medium}"),
            *("-device", f"ide-cd,drive=cd0,bootindex={cd}"),
            *(
                text.replace("{boot-net}", str(net)).replace("{boot-disk}", str(disk))
                for text in self.facts["arguments"]
            ),
        ]

    def on(self):
        with self.lock:
            if self.is_on():
                return
            for name in ("qmp.sock", "serial.sock"):
                if os.path.exists(self.path(name)):
                    os.unlink(self.path(name))
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL)
            self.once = None

    def off(self):
        with self.lock:
            if self.process is not None:
                self.process.kill()
                self.process.wait()
                self.process = None

    def restart(self):
        with self.lock:
            self.off()
            self.on()

    def say(self, command, **arguments):
        """A word on the monitor; a machine that is off has none."""
        if not self.is_on():
            return
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.settimeout(30)
            monitor.connect(self.path("qmp.sock"))
            lines = monitor.makefile("rw")
            lines.readline()
            for name, values in (("qmp_capabilities", {}), (command, arguments)):
                lines.write(json.dumps({"execute": name, "arguments": values}) + "\n")
                lines.flush()
                while True:
                    answer = json.loads(lines.readline())
                    if "error" in answer:
                        raise RuntimeError(answer["error"]["desc"])
                    if "return" in answer:
                        break

    def soft(self):
        self.say("system_powerdown")

    def interrupt(self):
        self.say("inject-nmi")

    def insert(self, path):
        self.medium = path
        if path:
            self.say("blockdev-change-medium", device="cd0", filename=path, force=True)
        else:
            self.say("eject", device="cd0", force=True)
