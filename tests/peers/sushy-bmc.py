#!/usr/bin/env python3
"""sushy-tools' Redfish emulator with a machine that exists in name only and does as it is told at
once.

Each change is a line on standard output, so that tests see what arrived; a line from standard
input is repeated there, after what arrived before. It ends when standard input does.

Options: --port, --state FOLDER, --password (of the user admin; without it nobody is asked who they
are), --certificate and --key (for https), --second (for a second machine).
"""
import argparse
import os
import ssl
import sys
import threading

import bcrypt
from werkzeug import serving

from sushy_tools.emulator import main as emulator
from sushy_tools.emulator.resources.systems import fakedriver

UUID = "11111111-2222-3333-4444-555555555555"
SECOND = "11111111-2222-3333-4444-666666666666"
BIOS = {"BootMode": "Uefi", "EmbeddedSata": "Raid", "NicBoot1": "NetworkBoot",
        "ProcTurboMode": "Enabled"}
RESULTS = {
    "On": "On",
    "ForceOn": "On",
    "ForceOff": "Off",
    "GracefulShutdown": "Off",
    "ForceRestart": "On",
    "GracefulRestart": "On",
}


def tell(text):
    print(text, flush=True)


class Machine(fakedriver.FakeDriver):
    def set_power_state(self, identity, state):
        tell(f"reset {state}")
        if state in RESULTS:
            self._update(identity, power_state=RESULTS[state])

    def set_boot_device(self, identity, boot_source):
        tell(f"boot device {boot_source}")
        super().set_boot_device(identity, boot_source)

    def set_boot_mode(self, identity, boot_mode):
        tell(f"boot mode {boot_mode}")
        super().set_boot_mode(identity, boot_mode)

    def set_secure_boot(self, identity, secure):
        tell(f"secure boot {secure}")
        super().set_secure_boot(identity, secure)

    def set_boot_image(self, identity, device, boot_image=None, write_protected=True):
        tell(f"media {device} {'in' if boot_image else 'out'}")
        super().set_boot_image(identity, device, boot_image, write_protected)

    def get_http_boot_uri(self, identity):
        return self._get(identity).get("http_boot_uri")

    def set_http_boot_uri(self, uri):
        # The emulator does not say whose address it is.
        tell("boot address")
        for identity in self.systems:
            self._update(identity, http_boot_uri=uri)

    def get_bios(self, identity):
        return {**BIOS, **self._get(identity).get("bios", {})}

    def set_bios(self, identity, attributes):
        tell(f"bios {' '.join(sorted(attributes))}")
        self._update(identity, bios={**self._get(identity).get("bios", {}), **attributes})

    def reset_bios(self, identity):
        tell("bios reset")
        self._update(identity, bios={})

    def get_versions(self, identity):
        return self._get(identity).get("versions", {"BiosVersion": "1.0.0"})

    def set_versions(self, identity, firmware_versions):
        tell(f"versions {firmware_versions['BiosVersion']}")
        self._update(identity, versions=firmware_versions)


def listen_to_input():
    for line in sys.stdin:
        print(line, end="", flush=True)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--password")
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--second", action="store_true")
    options = parser.parse_args()
    fakedriver.FakeDriver = Machine
    config = {
        "SUSHY_EMULATOR_FAKE_DRIVER": True,
        "SUSHY_EMULATOR_STATE_DIR": options.state,
        "SUSHY_EMULATOR_FAKE_SYSTEMS": [
            {"uuid": UUID, "name": "fake", "power_state": "Off", "external_notifier": False,
             "nics": [{"mac": "00:5c:52:31:3a:9c", "ip": "172.22.0.100"}]},
        ],
    }
    if options.second:
        config["SUSHY_EMULATOR_FAKE_SYSTEMS"].append(
            {"uuid": SECOND, "name": "second", "power_state": "Off", "external_notifier": False,
             "nics": []})
    if options.password:
        users = os.path.join(options.state, "users")
        secret = bcrypt.hashpw(options.password.encode(), bcrypt.gensalt(4)).decode()
        with open(users, "w") as file:
            file.write(f"admin:{secret}\n")
        config["SUSHY_EMULATOR_AUTH_FILE"] = users
    os.environ["TMPDIR"] = options.state
    emulator.app.configure(extra_config=config)
    context = None
    if options.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate, options.key)
    server = serving.make_server("127.0.0.1", options.port, emulator.app, threaded=True,
                                 ssl_context=context)
    threading.Thread(target=listen_to_input, daemon=True).start()
    tell("ready")
    server.serve_forever()


main()
