"""The conductor is killed at random points of lives with networks and volumes, a hundred times.

Each machine has a user who deploys it, switches it, rescues it and deletes it, whatever happens. In
the end all machines are taken down, and nothing may be left in the cloud. In between, whenever a
machine has been left alone long enough to be at rest as `active`, its volume must be attached and its
port bound."""
import random
import threading
import time

import lives
from agents import Agents
from cloud import Failed, expect, until
from service import Node, Service

KILLS = 100
MACHINES = 3
EXTRA = """[conductor]
automated_clean = true
[deploy]
configdrive_use_object_store = true
"""


class User(threading.Thread):
    """Whoever uses one machine, and never gives up."""

    def __init__(self, lab, service, number, image, seed, network):
        super().__init__(daemon=True)
        self.lab, self.service, self.image, self.network = lab, service, image, network
        self.random, self.ended = random.Random(f"{seed} {number}"), threading.Event()
        self.node = Node(service, network, storage_interface="cinder")
        self.volume = lab.volume()
        self.vif = lab.tenant_port() if network != "noop" else None
        connector = {"node_uuid": self.node.uuid, "type": "iqn", "connector_id": f"{lives.INITIATOR}-{number}"}
        service.ask("POST", "/v1/volume/connectors", connector)
        self.node.does("manage", "manageable")
        self.states, self.lived, self.checked, self.wrong = set(), 0, 0, []

    def run(self):
        while not self.ended.wait(self.random.uniform(0, 0.3)):
            try:
                self.step()
            except (OSError, Failed, ValueError):
                # The service is away, or somebody works on the machine.
                pass

    def step(self):
        node = self.node.show()
        state = node["provision_state"]
        self.states.add(state)
        if node["reservation"] is not None:
            return
        if state == "manageable":
            self.ask("provide")
        elif state == "available":
            self.deploy()
        elif state == "active":
            self.live(node)
        elif state == "rescue":
            self.ask("unrescue")
        elif state in ("deploy failed", "error", "rescue failed", "unrescue failed"):
            self.ask("deleted")
        elif state in ("clean failed", "inspect failed"):
            self.service.try_to("DELETE", self.node.path + "/maintenance")
            self.ask("manage")

    def ask(self, target, **more):
        self.service.try_to("PUT", self.node.path + "/states/provision", {"target": target, **more})

    def deploy(self):
        if not self.service.ask("GET", f"/v1/volume/targets?node={self.node.uuid}")["targets"]:
            lives.again(self.service, self.node, self.volume)
        info = {"image_source": self.image, "image_download_source": self.random.choice(["http", "swift"]),
                "root_gb": 4}
        self.node.set(instance_info=info)
        if self.vif:
            # 409: it is attached already.
            self.service.try_to("POST", self.node.path + "/vifs", {"id": self.vif})
        self.ask("active", configdrive=lives.DRIVE)

    def live(self, node):
        if node["power_state"] == "power on" and not self.is_whole(node):
            return
        choice = self.random.random()
        if choice < 0.25:
            target = "power off" if node["power_state"] == "power on" else "power on"
            self.service.try_to("PUT", self.node.path + "/states/power", {"target": target})
        elif choice < 0.5:
            self.ask("rescue", rescue_password="a-password")
        else:
            self.lived += 1
            self.ask("deleted")

    def is_whole(self, node):
        """Whether everything is there that an instance has; judged only where nobody worked on the
        machine before and after."""
        attached = lives.attached(self.lab, self.volume, node["instance_uuid"] or node["uuid"])
        bound = not self.vif or self.lab.port(self.vif)["binding:host_id"] == node["uuid"]
        after = self.node.show()
        same = all(after[key] == node[key] for key in ("updated_at", "provision_state", "power_state"))
        if not same or after["reservation"] is not None or after["target_power_state"]:
            return False
        self.checked += 1
        if not (attached and bound):
            self.wrong.append(f"{node['uuid']} is active: volume attached {attached}, port bound {bound}")
        return True


def leg(lab, given, folder, say, network="neutron", extra=EXTRA):
    image = lab.image("disk", lives.disk(1 << 16), in_swift=True)
    service = Service(lab, given.program, folder, extra)
    chance = random.Random(given.seed)
    service.start()
    try:
        with Agents(service):
            users = [User(lab, service, number, image, given.seed, network) for number in range(MACHINES)]
            for user in users:
                user.start()
            for kill in range(KILLS):
                time.sleep(chance.uniform(0.1, 5))
                service.kill()
                service.start()
                if kill % 20 == 19:
                    say(f"kills: {kill + 1}, {sum(user.lived for user in users)} instances lived and were deleted")
            settle(lab, service, users, say)
    finally:
        service.stop()
    lives.no_secrets(service, folder)


def settle(lab, service, users, say):
    for user in users:
        user.ended.set()
        user.join()
    for user in users:
        calm(user.node)
        user.node.delete()
    lives.nothing_left(lab, "kills")
    wrong = [line for user in users for line in user.wrong]
    expect(not wrong, f"{len(wrong)} times something was missing: {wrong[:3]}")
    states = sorted(set().union(*(user.states for user in users)))
    say(f"kills: {KILLS}; {sum(user.lived for user in users)} instances lived and were deleted, "
        f"{sum(user.checked for user in users)} times one was looked at and whole; seen: {', '.join(states)}")
    expect(any(user.lived for user in users), "no machine came to life")


def calm(node):
    """Takes a machine down from wherever it is."""

    def down():
        found = node.show()
        state = found["provision_state"]
        if found["reservation"] is not None:
            return False
        if state in ("available", "manageable", "enroll"):
            return True
        target = {"clean failed": "manage", "inspect failed": "manage"}.get(state, "deleted")
        if found["maintenance"]:
            node.service.try_to("DELETE", node.path + "/maintenance")
        if not state.endswith(("wait", "ing")) and state != "wait call-back":
            node.service.try_to("PUT", node.path + "/states/provision", {"target": target})
        return False

    until(f"{node.uuid} to be taken down", down, seconds=240, pause=0.3)
