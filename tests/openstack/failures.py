"""Every service away, slow, refusing and talking nonsense: the machine ends in the right state, the
reason names service, object and remedy, and when the trouble is over nothing is left behind."""
import re
import time

import lives
from agents import Agents
from cloud import Failed, expect, until
from service import Node, Service

# What a service that is slow on purpose is given; the others have their time, as this computer may be busy.
TIMEOUT = 5
PATIENCE = 60
FAULTS = {
    "down": {"drop": True},
    # And never done: what arrives after everybody has given up, nobody can undo.
    "slow": {"delay": 2 * TIMEOUT, "drop": True},
    "401": {"status": 401, "body": {"error": {"code": 401, "message": "no"}}},
    "403": {"status": 403, "body": {"error": {"code": 403, "message": "no"}}},
    "404": {"status": 404, "body": {"error": {"code": 404, "message": "no"}}},
    "409": {"status": 409, "body": {"error": {"code": 409, "message": "no"}}},
    "413": {"status": 413, "body": "too large"},
    "500": {"status": 500, "body": "boom"},
    "garbage": {"status": 200, "body": "<not what was asked for"},
}
# What an operator can do begins with one of these.
REMEDY = "; (check|give|set|complete|register|compare|upload|wait|correct)"
UNREACHED = "; check (that .* runs at this URL|the health and the logs of)"
# What it must be for each fault: that of another one helps nobody.
REMEDIES = {
    "down": UNREACHED,
    "slow": UNREACHED,
    "401": "; give the user of .* the roles? that",
    "403": "; give the user.* the roles? that",
    "404": "; (compare the identifiers|check the reference)",
    "409": "; wait until nobody else works on it",
    "413": "; check the quotas and limits",
    "500": "; check the health and the logs of",
    "garbage": "; (check that the URL|upload the image again)",
}
# Of Keystone.
LOGIN_REMEDIES = {**REMEDIES, "401": "; check username, password", "403": "; check username, password",
                  "garbage": REMEDY}


def configuration(**sections):
    text = "[conductor]\nautomated_clean = false\n"
    for section in ("glance", "neutron", "swift", "cinder", "nova"):
        options = {"timeout": PATIENCE, "status_code_retries": 1, "status_code_retry_delay": 0.1}
        options.update(sections.get(section, {}))
        text += f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in options.items())
    return text


class Trouble:
    """A machine that is deployed while something is wrong, and rid of it afterwards."""

    def __init__(self, lab, service, say, network):
        self.lab, self.service, self.say = lab, service, say
        self.image = lab.image("disk", lives.disk(1 << 16), in_swift=True)
        self.volume = lab.volume()
        self.vif = lab.tenant_port() if network != "noop" else None
        self.network = network
        self.node = Node(service, network, storage_interface="cinder", automated_clean=False)
        connector = {"node_uuid": self.node.uuid, "type": "iqn", "connector_id": lives.INITIATOR}
        service.ask("POST", "/v1/volume/connectors", connector)
        self.node.does("manage", "manageable")
        self.node.does("provide", "available")
        # Volumes may be changed while it is off, and known to be.
        self.node.power("power off")
        self.count, self.wrong = 0, []

    def deploy(self, source="swift", image=None):
        """Asks for a deployment; the reason why it fails."""
        node = self.node
        lives.again(self.service, node, self.volume)
        node.set(instance_info={"image_source": image or self.image, "image_download_source": source, "root_gb": 4})
        if self.vif:
            status, answer = self.service.try_to("POST", node.path + "/vifs", {"id": self.vif})
            if status >= 300:
                return status, str(answer)
        status, answer = self.service.try_to(
            "PUT", node.path + "/states/provision", {"target": "active", "configdrive": lives.DRIVE})
        if status >= 300:
            return status, str(answer)
        return None, node.reaches("deploy failed", seconds=120)["last_error"]

    def over(self):
        """The trouble is over: the machine can be used again, and nothing is left."""
        self.lab.faults()
        node = self.node.show()
        if node["provision_state"] != "available":
            self.node.does("deleted", "available")
        for target in self.service.ask("GET", f"/v1/volume/targets?node={self.node.uuid}")["targets"]:
            self.service.ask("DELETE", f"/v1/volume/targets/{target['uuid']}")
        if self.vif:
            self.service.try_to("DELETE", f"{self.node.path}/vifs/{self.vif}")
        until("nothing to be left", lambda: not self.lab.remainders(), seconds=20, pause=0.5)
        self.count += 1

    def case(self, name, *arguments, **more):
        """One failure; what is wrong about it is told at the end."""
        self.told(name, *arguments, **more)
        self.over()

    def told(self, name, *arguments, **more):
        try:
            self.say(f"{name}: {self.judged(*arguments, **more)}")
        except Failed as failure:
            self.say(f"{name}: WRONG: {failure}")
            self.wrong.append(name)

    def judged(self, service, wanted, source="swift", image=None, refused=False, remedy=REMEDY):
        status, error = self.deploy(source, image)
        expect(bool(status) == refused, f"answered {status}: {error}")
        for word in [service, *wanted]:
            expect(word.lower() in error.lower(), f"{word!r} is not in the reason: {error}")
        expect(re.search(remedy, error), f"no remedy of the kind {remedy!r}: {error}")
        return error


def injected(trouble, wanted_faults, only=None):
    """Each of these faults at each service, or at one, in the middle of a deployment."""
    lab, node = trouble.lab, trouble.node
    places = [
        ("Glance", "glance", "GET", f"/v2/images/{trouble.image}$", [trouble.image], "swift", FAULTS),
        ("Glance", "glance", "GET", "/file$", [trouble.image], "http", FAULTS),
        ("Swift", "swift", "PUT", "/configdrive-", [f"configdrive-{node.uuid}"], "swift",
         [fault for fault in FAULTS if fault != "garbage"]),
        ("Cinder", "cinder", "GET", f"/volumes/{trouble.volume}$", [trouble.volume], "swift", FAULTS),
        ("Cinder", "cinder", "POST", "/action$", [trouble.volume], "swift", FAULTS),
    ]
    if trouble.vif:
        places += [
            ("Neutron", "neutron", "POST", "/v2.0/ports$", [node.uuid], "swift", FAULTS),
            ("Neutron", "neutron", "PUT", f"/v2.0/ports/(?!{trouble.vif})", [node.uuid], "swift",
             [fault for fault in FAULTS if fault != "404"]),
        ]
    for title, service, method, path, wanted, source, faults in places:
        if only not in (None, service):
            continue
        for fault in [fault for fault in faults if fault in wanted_faults]:
            rule = {"service": service, "method": method, "path": path, "times": 1000, **FAULTS[fault]}
            if service == "glance" and path == "/file$":
                # What is in the cache is not fetched.
                wanted = [lab.image("disk", lives.disk(1 << 16))]
            lab.faults(rule)
            image = wanted[0] if path == "/file$" else None
            trouble.case(f"{title}, {method} {path.strip('$')}, {fault}", title, wanted, source, image,
                         remedy=REMEDIES[fault])


def leg(lab, given, folder, say, network="neutron"):
    service = Service(lab, given.program, folder, configuration(nova={"timeout": TIMEOUT}))
    with service, Agents(service):
        trouble = Trouble(lab, service, say, network)
        injected(trouble, [fault for fault in FAULTS if fault != "slow"])
        images(trouble)
        if trouble.vif:
            networks(trouble)
        busy_volume(trouble)
        deaf_compute_service(trouble)
    slow_services(lab, service, trouble)
    image_of_others(lab, service, trouble)
    expired_url(lab, service, trouble)
    without_login(lab, service, trouble)
    without_endpoints(lab, service, trouble)
    lives.no_secrets(service, folder)
    expect(not trouble.wrong, f"{len(trouble.wrong)} failures are not told as they should be: {trouble.wrong}")
    say(f"failures: {trouble.count} of them, each with its reason and nothing left behind")


def images(trouble):
    """Images that are there and must not be used."""
    lab = trouble.lab
    image = lab.image("disk", lives.disk(1 << 16))
    lab.admin.ask("image", "POST", f"/v2/images/{image}/actions/deactivate")
    trouble.case("image deactivated", "Glance", [image, "active state"], "http", image,
                 remedy="; upload the contents of the image, or reactivate it")
    lab.admin.ask("image", "DELETE", f"/v2/images/{image}")
    trouble.case("image deleted", "Glance", [image, "could not be found"], "http", image,
                 remedy=REMEDIES["404"])
    # Bytes of the right number, and not those of the checksum.
    image, other = lab.image("disk", lives.disk(1 << 16)), "x" * (1 << 16)
    lab.faults({"service": "glance", "path": "/file$", "times": 1000, "status": 200, "body": other})
    trouble.case("image with other bytes", "Glance", [image], "http", image)


def slow_services(lab, service, trouble):
    """Each service that takes longer than it is given."""
    for section in ("glance", "swift", "cinder") + ("neutron",) * bool(trouble.vif):
        service.configure(configuration(**{section: {"timeout": TIMEOUT}}))
        with service, Agents(service):
            injected(trouble, ["slow"], section)
    service.configure(configuration())


def image_of_others(lab, service, trouble):
    """A private image of another project, where administrators have no special rights."""
    service.configure(configuration() + "[DEFAULT]\nignore_project_check_for_admin_tasks = false\n")
    image = lab.image("disk", lives.disk(1 << 16), visibility="private")
    with service, Agents(service):
        trouble.case("image of another project", "Glance", [image, "could not be found"], "http", image,
                     remedy=REMEDIES["404"])
    lab.admin.ask("image", "DELETE", f"/v2/images/{image}")
    service.configure(configuration())


def expired_url(lab, service, trouble):
    """An agent that asks for its image when the temporary URL is no longer good."""
    service.configure(configuration(glance={"swift_temp_url_duration": 2}))
    with service, Agents(service, late=4):
        trouble.case("temporary URL expired", "Swift", [trouble.image, "401"],
                     remedy="; set a longer swift_temp_url_duration")
    service.configure(configuration())


def networks(trouble):
    """Networks that are not there, or twice; and a switch that nobody knows."""
    lab, node = trouble.lab, trouble.node
    for name, wanted in (("nowhere", "was not found"), ("twice", "More than one")):
        if name == "twice":
            for _ in range(2):
                lab.admin.ask("network", "POST", "/v2.0/networks", {"network": {"name": name}})
        node.set(driver_info__provisioning_network=name)
        status, error = trouble.deploy()
        expect(status and wanted in error and name in error, f"network {name}: {status} {error}")
        expect(re.search("; (compare it with|choose one of).* Neutron", error), f"no service or no remedy: {error}")
        trouble.say(f"network {name}: {status} {error}")
        trouble.service.ask("PATCH", node.path, [{"op": "remove", "path": "/driver_info/provisioning_network"}])
        trouble.over()
    for network in lab.admin.ask("network", "GET", "/v2.0/networks?name=twice")["networks"]:
        lab.admin.ask("network", "DELETE", f"/v2.0/networks/{network['id']}")
    port = f"/v1/ports/{node.port}"
    link = {"switch_id": "00:00:00:00:00:99", "port_id": "Ethernet1/1", "switch_info": "nobody"}
    known = trouble.service.ask("GET", port)["local_link_connection"]
    for connection, failing in ((link, True), (known, False)):
        # Where a machine is plugged in may change while nobody uses it.
        trouble.service.ask("PUT", node.path + "/maintenance", {})
        trouble.service.ask("PATCH", port, [{"op": "replace", "path": "/local_link_connection", "value": connection}])
        trouble.service.ask("DELETE", node.path + "/maintenance")
        if failing:
            trouble.case("binding failed", "Neutron", ["Binding failed for neutron port"])


def busy_volume(trouble):
    lab = trouble.lab
    path = f"/volumes/{trouble.volume}/action"
    lab.ironic.ask("block-storage", "POST", path, {"os-reserve": None})
    status, error = trouble.deploy()
    expect(status is None and "Failed to reserve volume" in error and trouble.volume in error, error)
    expect(re.search(REMEDY, error), f"no remedy: {error}")
    found = lab.volume_of(trouble.volume)["status"]
    expect(found == "attaching", f"a volume that somebody else reserved is {found}")
    lab.ironic.ask("block-storage", "POST", path, {"os-unreserve": None})
    trouble.say(f"volume in use: {error}")
    trouble.over()


def deaf_compute_service(trouble):
    """Nova never matters to the machine."""
    lab, node = trouble.lab, trouble.node
    node.set(instance_uuid="22222222-2222-4222-8222-222222222222")
    for fault, rule in FAULTS.items():
        lab.faults({"service": "nova", "times": 1000, **rule})
        begun = time.monotonic()
        for target in ("power on", "power off"):
            node.power(target)
        expect(time.monotonic() - begun < 2 * TIMEOUT, f"Nova, {fault}: the machine waited")
        trouble.count += 1
    lab.faults()
    node.set(instance_uuid=None)
    trouble.say("Nova down, slow, refusing, talking nonsense: machines are switched without a delay")


def without_login(lab, service, trouble):
    """Keystone away, refusing, and talking nonsense, to a service that has not logged in yet."""
    for fault in ("down", "slow", "401", "403", "500", "garbage"):
        rule = {"service": "keystone", "method": "POST", "path": "/auth/tokens", "times": 1000, **FAULTS[fault]}
        lab.faults(rule)
        with service, Agents(service):
            trouble.case(f"Keystone, {fault}", "Keystone", [], refused=bool(trouble.vif),
                         remedy=LOGIN_REMEDIES[fault])


def without_endpoints(lab, service, trouble):
    """A service that is not in the catalogue."""
    sections = [("glance", "image"), ("swift", "object-store"), ("cinder", "volumev3")]
    for section, title in sections + [("neutron", "network")] * bool(trouble.vif):
        service.configure(configuration(**{section: {"region_name": "Nowhere"}}))
        with service, Agents(service):
            until("the node", lambda: trouble.node.show()["reservation"] is None)
            trouble.told(f"{section} is not in the catalogue", f"{title} service in Nowhere", ["not found"],
                         refused=section == "neutron", remedy="; register the endpoint in Keystone")
        service.configure(configuration())
        with service, Agents(service):
            trouble.over()
