"""The conductor is killed at random points of lives with networks and volumes, a hundred times.

Each machine has a user who deploys it, switches it, rescues it and deletes it, whatever happens. In
the end all machines are taken down, and nothing may be left in the cloud. In between, whenever a
machine has been left alone long enough to be at rest as `active`, its volume must be attached and its
port bound.

A kill comes after a random number of steps that the machines have made, and not after a time: on a busy
computer lives take longer, and are killed at the same points."""
import random
import threading
import time

import lives
from agents import Agents
from cloud import Failed, expect, until
from service import Node, Service

MACHINES = 3
# So many steps of all machines are seen between two kills at most; a life has about fifteen.
STEPS = 25
# For each instance that lived and was deleted by its user there may be so many kills.
KILLS_PER_LIFE = 5
# What a node is shown by; another value of any of them is a step.
PROGRESS = ("provision_state", "deploy_step", "clean_step", "power_state", "instance_uuid")
EXTRA = """[conductor]
automated_clean = true
[deploy]
configdrive_use_object_store = true
"""


class Steps:
    """Counts the steps of all machines."""

    def __init__(self):
        self.count, self.changed = 0, threading.Condition()

    def add(self):
        with self.changed:
            self.count += 1
            self.changed.notify_all()

    def more(self, number):
        """Returns after so many more."""
        with self.changed:
            goal = self.count + number
            expect(self.changed.wait_for(lambda: self.count >= goal, timeout=300), "the machines stand still")


class User(threading.Thread):
    """Whoever uses one machine, and never gives up."""

    def __init__(self, lab, service, number, image, seed, network, steps):
        super().__init__(daemon=True)
        self.steps, self.last = steps, None
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
        while not self.ended.wait(self.random.uniform(0, 0.2)):
            try:
                self.step()
            except (OSError, Failed, ValueError):
                # The service is away, or somebody works on the machine.
                pass

    def step(self):
        node = self.node.show()
        state = node["provision_state"]
        self.states.add(state)
        seen = [node[key] for key in PROGRESS]
        if seen != self.last:
            self.last = seen
            self.steps.add()
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
            steps = Steps()
            users = [User(lab, service, number, image, given.seed, network, steps) for number in range(MACHINES)]
            for user in users:
                user.start()
            for kill in range(given.kills):
                steps.more(chance.randint(1, STEPS))
                time.sleep(chance.uniform(0, 0.5))
                service.kill()
                service.start()
                if kill % 20 == 19:
                    say(f"kills: {kill + 1}, {sum(user.lived for user in users)} instances lived and were deleted")
            settle(lab, service, users, say, given.kills)
    finally:
        service.stop()
    lives.no_secrets(service, folder)


def settle(lab, service, users, say, kills):
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
    say(f"kills: {kills}; {sum(user.lived for user in users)} instances lived and were deleted, "
        f"{sum(user.checked for user in users)} times one was looked at and whole; seen: {', '.join(states)}")
    lived = sum(user.lived for user in users)
    expect(lived * KILLS_PER_LIFE >= kills, f"only {lived} instances lived and were deleted")


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
