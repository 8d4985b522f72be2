"""The client of the services by itself: the tests of crates/openstack that want real ones
(crates/openstack/src/peers). Elsewhere they only say that they did nothing."""
import os
import pathlib
import subprocess

from cloud import KEYSTONE, PASSWORD, SWITCH, expect

ROOT = pathlib.Path(__file__).resolve().parents[2]


def leg(_lab, _given, folder, say):
    command = ["cargo", "nextest", "run", "--package", "openstack", "-E", "test(peers::)"]
    services = {"URL": KEYSTONE, "PASSWORD": PASSWORD, "REGION": "RegionOne", "SWITCH_ID": SWITCH}
    services = {f"CORTEN_TEST_OPENSTACK_{name}": value for name, value in services.items()}
    with open(folder / "cargo.log", "w") as log:
        done = subprocess.run(command, cwd=ROOT, env={**os.environ, **services}, stdout=log, stderr=log)
    expect(done.returncode == 0, f"the client fails at real services: {folder}/cargo.log")
    passed = (folder / "cargo.log").read_text().count("PASS [")
    expect(passed, f"no test of the client ran: {folder}/cargo.log")
    say(f"the client did {passed} things with real services")
