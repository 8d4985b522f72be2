"""Whole lives of machines: enrol, inspect, clean, deploy, tenant network, rescue, undeploy, clean."""
import base64
import gzip
import os

from agents import Agents
from cloud import PASSWORD, Failed, expect, until
from service import Node, Service

INITIATOR = "iqn.2017-05.org.openstack:lab-initiator"
DRIVE = base64.b64encode(gzip.compress(b"config drive " * 4096)).decode()


def disk(size=1 << 20):
    """An image that Glance takes for raw."""
    return os.urandom(size)


def with_volumes(service, node, volumes):
    """Gives a machine an initiator and volumes; the first is booted from where it has number 0."""
    connector = {"node_uuid": node.uuid, "type": "iqn", "connector_id": f"{INITIATOR}-{node.uuid[:8]}"}
    service.ask("POST", "/v1/volume/connectors", connector)
    for index, volume in volumes:
        target = {"node_uuid": node.uuid, "volume_type": "iscsi", "volume_id": volume, "boot_index": index,
                  "properties": {}}
        service.ask("POST", "/v1/volume/targets", target)


def attached(lab, volume, server):
    found = lab.volume_of(volume)
    return found["status"] == "in-use" and [a["server_id"] for a in found["attachments"]] == [server]


def enrol(service, network, **more):
    """A machine that was inspected and cleaned."""
    node = Node(service, network, **more)
    node.does("manage", "manageable")
    node.does("inspect", "manageable")
    node.does("provide", "available")
    return node


def deploy(lab, service, node, image, source="http", vif=None, instance=None):
    node.set(instance_info={"image_source": image, "image_download_source": source, "root_gb": 4},
             instance_uuid=instance or "11111111-1111-4111-8111-" + node.uuid[-12:])
    if vif:
        node.vif(vif)
    return node.does("active", "active", configdrive=DRIVE)


def on_network(lab, node, port, network):
    """The machine's tenant port is bound, to it and with its MAC address."""
    found = lab.port(port)
    expect(found["binding:host_id"] == node.uuid, f"port {port} is on host {found['binding:host_id']!r}")
    expect(found["mac_address"] == node.mac, f"port {port} has the MAC {found['mac_address']}")
    if network == "neutron":
        expect(found["status"] == "ACTIVE", f"port {port} is {found['status']}")


def whole(lab, service, agents, network, image, say):
    """One life with everything."""
    node = enrol(service, network)
    inventory = service.ask("GET", node.path + "/inventory")
    expect(inventory["inventory"]["cpu"]["count"] == 4, f"inventory: {inventory}")
    say(f"{network}: enrolled, inspected (data in Swift), cleaned")

    volume = lab.volume()
    vif = lab.tenant_port() if network != "noop" else None
    for source in ("http", "swift"):
        node.set(storage_interface="cinder")
        with_volumes(service, node, [(-1, volume)]) if source == "http" else again(service, node, volume)
        before = len(agents.fetched)
        active = deploy(lab, service, node, image, source, vif)
        server = active["instance_uuid"]
        size, url, drive = agents.fetched[before]
        expect(("temp_url_sig" in url) == (source == "swift"), f"the agent got {url}")
        expect(drive == len(DRIVE), f"the config drive has {drive} characters")
        expect(attached(lab, volume, server), f"volume: {lab.volume_of(volume)}")
        if vif:
            on_network(lab, node, vif, network)
        say(f"{network}: deployed from Glance by {source}, {size} bytes, config drive by Swift, volume attached")

        if source == "http":
            cycle(lab, node, volume, server)
            say(f"{network}: off and on again: volume detached and attached, compute service told")
            node.does("rescue", "rescue", rescue_password="a-password")
            node.does("unrescue", "active")
            if vif:
                on_network(lab, node, vif, network)
            say(f"{network}: rescued and back on the tenant network")
        gone = node.does("deleted", "available")
        expect(gone["instance_uuid"] is None and not gone["instance_info"], f"instance: {gone}")
        expect(lab.volume_of(volume)["status"] == "available", "the volume is still attached")
        vifs = service.ask("GET", node.path + "/vifs")["vifs"]
        expect(not vifs, f"VIFs: {vifs}")
        say(f"{network}: undeployed and cleaned")
    node.delete()
    lab.ironic.ask("block-storage", "DELETE", f"/volumes/{volume}")
    if vif:
        lab.ironic.ask("network", "DELETE", f"/v2.0/ports/{vif}")


def again(service, node, volume):
    target = {"node_uuid": node.uuid, "volume_type": "iscsi", "volume_id": volume, "boot_index": -1, "properties": {}}
    service.ask("POST", "/v1/volume/targets", target)


def cycle(lab, node, volume, server):
    """Power off detaches, power on attaches again, and the compute service hears of both."""
    before = len(lab.events())
    node.power("power off")
    expect(lab.volume_of(volume)["status"] == "available", "the volume stayed attached")
    node.power("power on")
    expect(attached(lab, volume, server), "the volume was not attached again")

    def told():
        tags = [event["tag"] for event in events_of(lab, before) if event["server_uuid"] == server]
        return tags == ["POWER_OFF", "POWER_ON"]

    until("events of power", told, seconds=5)


def events_of(lab, since):
    found = []
    for entry in lab.events()[since:]:
        found += entry.get("events", [entry])
    return found


def nothing_left(lab, what):
    """Nothing that was made for machines is left, though some of it may take Neutron a moment."""
    try:
        until("nothing to be left", lambda: not lab.remainders(), seconds=20, pause=1)
    except Failed:
        raise Failed(f"{what}: left over: {lab.remainders()}") from None


def made_and_gone(asked):
    """How many things of each kind were made and removed, by what passed the recorders."""
    counts = {"ports": [0, 0], "attachments": [0, 0], "objects": [0, 0]}
    for line in asked:
        if line["status"] not in (200, 201, 202, 204):
            continue
        service, method, path = line["service"], line["method"], line["path"]
        body = line.get("body") if isinstance(line.get("body"), dict) else {}
        if service == "neutron" and "/v2.0/ports" in path and method in ("POST", "DELETE"):
            counts["ports"][method == "DELETE"] += 1
        elif service == "cinder" and ("os-attach" in body or "os-detach" in body):
            counts["attachments"]["os-detach" in body] += 1
        elif service == "swift" and method in ("PUT", "DELETE") and path.count("/") > 3:
            counts["objects"][method == "DELETE"] += 1
    return counts


def leg(lab, given, folder, say):
    image = lab.image("disk", disk(), in_swift=True)
    with Service(lab, given.program, folder) as service, Agents(service) as agents:
        for network in ("neutron", "flat"):
            _, begin = lab.asked()
            whole(lab, service, agents, network, image, say)
            nothing_left(lab, network)
            asked, _ = lab.asked(begin)
            for kind, (made, gone) in made_and_gone(asked).items():
                say(f"{network}: {kind}: {made} made, {gone} removed")
                expect(made == gone > 0, f"{network}: {made} {kind} were made and {gone} removed")
    no_secrets(service, folder)


def no_secrets(service, folder):
    """No credential is in the log: no password, token, signature or CHAP secret."""
    text = service.log.read_text(errors="replace")
    for secret in (PASSWORD, "gAAAA", "temp_url_sig=", "lab-temp-url-key", "auth_password", "a-password"):
        at = text.find(secret)
        expect(at < 0, f"{folder}/corten.log has {secret!r}: {text[max(0, at - 200):at + 20]}")
