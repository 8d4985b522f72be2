"""Attacks that worked on an earlier program, one after the other by their number."""
import base64
import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time

from service import (Answer, Failed, JSON, Keystone, MIB, Peer, Service, Skipped, dense, expect,
                     free_port, request)

T = Keystone.token
SECRET = b"INTERNAL-SECRET-TOKEN-0123456789abcdef"


def report(size, mac="52:54:00:12:34:56"):
    head = b'{"inventory":{"interfaces":[{"mac_address":"%s"}]},"x":' % mac.encode()
    return head + dense(size) + b"}"


def bounded(rise, size, what):
    expect(rise <= 8 * size + 32 * MIB, f"{what}: {size / MIB:.1f} MiB take {rise / MIB:.0f} MiB")


def json_of_anybody(lab):
    """1: memory for JSON that nobody vouches for"""
    with lab.service(auth="http_basic") as basic:
        body = report(4 * MIB)
        rise, _ = basic.rises(lambda: basic.anonymous("POST", "/v1/continue_inspection", body))
        bounded(rise, len(body), "continue_inspection")
        body = b'{"callback_url":' + dense(MIB - 100) + b"}"
        rise, _ = basic.rises(lambda: basic.anonymous("POST", "/v1/heartbeat/x", body))
        bounded(rise, len(body), "heartbeat")
    cloud = lab.cloud
    body = b'{"target":"active","configdrive":' + dense(5 * MIB) + b"}"
    rise, answer = cloud.rises(lambda: cloud.ask("PUT", "/v1/nodes/nobody/states/provision", body, token=T("NO")))
    bounded(rise, len(body), f"provision by a token without roles ({answer.status})")


def json_of_many_interfaces(lab):
    """1: one query for each of thousands of interfaces"""
    macs = [f"52:54:00:00:{n >> 8:02x}:{n & 255:02x}" for n in range(2000)]
    body = {"inventory": {"interfaces": [{"mac_address": mac} for mac in macs]}}
    service = lab.open
    node = service.node(inspect_interface="agent", driver_info={"fake_boots_ramdisks": True})
    service.provision(node, "manage", ["manageable"])
    service.provision(node, "inspect", ["inspect wait"])
    answer = service.anonymous("POST", "/v1/continue_inspection", body)
    expect(answer.status == 400, f"2000 interfaces are looked for: {answer}")
    answer = service.anonymous("GET", "/v1/lookup?addresses=" + ",".join(macs[:300]))
    expect(answer.status == 400, f"300 addresses are looked up: {answer}")


def authority_that_never_ends(lab):
    """2: redfish_verify_ca that cannot be read to its end freezes the process"""
    with lab.service() as service:
        folder = os.path.join(service.folder, "authorities")
        os.mkdir(folder)
        os.mkfifo(os.path.join(folder, "ca.pem"))
        for n in range(8):
            made = service.ask("POST", "/v1/nodes", {"driver": "redfish", "name": f"frozen-{n}", "driver_info": {
                "redfish_address": f"https://127.0.0.1:{free_port()}", "redfish_username": "u",
                "redfish_password": "p", "redfish_system_id": "/redfish/v1/Systems/1",
                "redfish_verify_ca": folder if n % 2 else "/dev"}}, timeout=10)
            expect(made.status == 201, f"the API does not answer any more: {made}")
            service.ask("PUT", f"/v1/nodes/frozen-{n}/states/provision", {"target": "manage"}, timeout=10)
        until = time.monotonic() + 3
        while time.monotonic() < until:
            expect(service.is_alive(5), "the API does not answer any more")
            time.sleep(0.2)
        service.process.send_signal(signal.SIGTERM)
        try:
            service.process.wait(20)
        except subprocess.TimeoutExpired:
            raise Failed("SIGTERM does not end the process") from None


def json_of_machines(lab):
    """3: answers of a BMC and of an agent that take a hundred times their size"""
    body = b'{"x":' + dense(3 * MIB) + b"}"

    def bomb(handler):
        if handler.path.rstrip("/") == "/redfish/v1":
            return handler.give(200, {"@odata.id": "/redfish/v1", "Systems": {"@odata.id": "/redfish/v1/Systems"}})
        handler.give(200, body, [("Content-Type", "application/json")])

    with lab.service() as service:
        bmc = Peer(bomb)
        node = service.node(driver="redfish", driver_info={
            "redfish_address": bmc.url, "redfish_username": "u", "redfish_password": "p",
            "redfish_system_id": "/redfish/v1/Systems/1"})

        def verify():
            service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "manage"})
            until = time.monotonic() + 30
            while len(bmc.seen) < 2:
                expect(time.monotonic() < until, f"the BMC was asked only {bmc.seen}")
                time.sleep(0.05)
            return service.reaches(node, ["enroll", "manageable"])

        rise, _ = service.rises(verify)
        bounded(rise, len(body), "a BMC")
        bmc.close()
        mac = "52:54:00:00:03:01"
        node = service.waits_for_agent(mac)
        agent = Peer(lambda handler: handler.give(200, body, [("Content-Type", "application/json")]))
        token = looked_up(service, mac)

        def call():
            answer = heartbeat(service, node, token, agent.url)
            expect(answer.status == 202, f"the heartbeat is refused: {answer}")
            until = time.monotonic() + 30
            while not agent.seen and time.monotonic() < until:
                time.sleep(0.1)
            expect(agent.seen, "the agent was not called")
            return service.reaches(node, ["deploy failed", "wait call-back"])

        rise, _ = service.rises(call)
        bounded(rise, len(body), "an agent")
        agent.close()


def looked_up(service, mac, source=None):
    answer = service.anonymous("GET", f"/v1/lookup?addresses={mac}", source=source)
    expect(answer.status == 200, f"the node is not found: {answer}")
    return answer.json()["config"]["agent_token"]


def heartbeat(service, node, token, url, source=None):
    return service.anonymous("POST", f"/v1/heartbeat/{node}", {
        "callback_url": url, "agent_version": "13.0", "agent_token": token}, source=source)


def discs_with_tokens(lab):
    """4: the agent's token on a disc whose address can be guessed"""
    service = lab.open
    with simulated_bmc(lab) as bmc:
        node = service.available(
            driver="redfish", boot_interface="redfish-virtual-media", deploy_interface="direct",
            mac="52:54:00:00:04:01", properties={"cpu_arch": "x86_64", "capabilities": "boot_mode:uefi"},
            driver_info={"redfish_address": bmc, "redfish_username": "admin", "redfish_password": "password",
                         "redfish_system_id": "/redfish/v1/Systems/1", "redfish_verify_ca": False})
        service.name_image(node)
        service.provision(node, "active", ["wait call-back"])
        folder = os.path.join(service.folder, "http", "redfish")
        discs = [name for name in os.listdir(folder) if name.endswith(".iso")]
        expect(len(discs) == 1, f"there is no disc in {folder}")
        published = request(service.http, "GET", f"/redfish/{discs[0]}")
        token = re.search(rb"ipa-agent-token=([A-Za-z0-9_-]+)", published.body)
        expect(published.status == 200 and token, "the machine does not find its token on the disc")
        for guess in (f"boot-{node}.iso", f"boot-{node}", f"{node}.iso", ""):
            answer = request(service.http, "GET", f"/redfish/{guess}")
            expect(answer.status == 404, f"/redfish/{guess} is served: {answer.status}, token {token[1][:4]}…")
        expect(len(discs[0]) >= len(f"boot-{node}.iso") + 16, f"the name {discs[0]} can be guessed")
        answer = heartbeat(service, node, token[1].decode(), "http://127.0.0.1:9999")
        expect(answer.status == 202, f"the agent is refused: {answer}")
        answer = request(service.http, "GET", f"/redfish/{discs[0]}")
        expect(answer.status == 404, "the disc is still there after the first heartbeat")


@contextlib.contextmanager
def simulated_bmc(lab):
    port = free_port()
    bmc = subprocess.Popen([lab.program, "sim", "--machines", "1", "--redfish-port", str(port),
                            "--ipmi-port", "0"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 20
        while request(port, "GET", "/redfish/v1/").status != 200:
            if bmc.poll() is not None:
                raise RuntimeError(f"no simulated BMC: {bmc.stderr.read()}")
            if time.monotonic() > until:
                raise RuntimeError("the simulated BMC does not answer")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        bmc.terminate()
        bmc.wait()


def requests_for_tenants(lab):
    """5: SSRF with the answer: kernels and images from where only the service reaches"""
    cloud = lab.cloud
    inside = Peer(lambda handler: handler.give(200, SECRET))
    targets = [inside.url, inside.url.replace("127.0.0.1", "localhost"),
               inside.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"), inside.url.replace("127.0.0.1", "2130706433")]
    if lab.outside:
        # A server that tenants may name, and that leads inside.
        redirect = Peer(lambda handler: handler.give(302, b"", [("Location", inside.url + handler.path)]),
                        host=lab.outside)
        targets.append(redirect.url)
    for n, target in enumerate(targets):
        node = cloud.available(token=T("OA"), name=f"ssrf-{n}", deploy_interface="ramdisk", boot_interface="ipxe",
                               mac=f"52:54:00:00:05:{n:02x}")
        url = f"{target}/meta"
        cloud.patch(node, ("add", "/instance_info", {"kernel": url, "ramdisk": url, "image_source": url}), token=T("OA"))
        asked = cloud.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "active"}, token=T("OA"))
        if asked.status == 202:
            cloud.reaches(node, ["active", "deploy failed"], T("OA"))
        for name in ("kernel", "ramdisk"):
            answer = request(cloud.http, "GET", f"/{node}/{name}")
            expect(SECRET not in answer.body, f"{target}: the answer is published as /{node}/{name}")
        expect(not inside.seen, f"{target}: {inside.seen[:1]} was asked")
        error = cloud.show(node, T("SA"))["last_error"] or asked.text
        expect("networks_denied" in error, f"{target}: the reason is not told: {error}")
    inside.close()


def agent_of_elsewhere(lab):
    """6: whoever looks up first has the service call any address, unseen"""
    service, mac = lab.open, "52:54:00:00:06:01"
    node = service.waits_for_agent(mac)
    answer = service.anonymous("GET", f"/v1/lookup?addresses={mac}")
    expect("hidden-in-url" not in answer.text, "a lookup shows the password of the image server")
    token = answer.json()["config"]["agent_token"]
    victim = Peer(lambda handler: handler.give(200, {}))
    # The address of others, spelt in several ways.
    for url in (victim.url.replace("127.0.0.1", "127.0.0.2"), "http://victim.example:9999",
                "http://127.0.0.1@127.0.0.2:9999", "http://127.0.0.2#127.0.0.1", "http://2130706434:9999"):
        answer = heartbeat(service, node, token, url)
        expect(answer.status == 400, f"a heartbeat with callback_url {url} is taken: {answer}")
    answer = heartbeat(service, node, token, victim.url, source="127.0.0.2")
    expect(answer.status == 400, f"a heartbeat from 127.0.0.2 names 127.0.0.1: {answer}")
    answer = service.anonymous("POST", f"/v1/heartbeat/{node}", {
        "callback_url": victim.url, "agent_version": "13.0", "agent_token": token},
        headers={"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1"}, source="127.0.0.2")
    expect(answer.status == 400, f"a header of the client is believed: {answer}")
    looked_up(service, mac)
    events = service.ask("GET", f"/corten/v1/events?after=0&limit=1000&node={node}").text
    expect("token was given to 127.0.0.1" in events, "giving the token away is no event")
    expect("given away before" in events, "a second lookup is no event")
    victim.close()


def sealed_by_tenants(lab):
    """7: a text that looks encrypted blocks rotate-key and restore"""
    with lab.service() as service:
        node = service.node(name="leased", driver_info={"ipmi_password": "real-secret"})
        for field in ("instance_info/foo", "extra/foo", "driver_info/foo", "instance_info/some_password"):
            changed = service.patch(node, ("add", "/" + field, "corten:sealed:k0:AAAA"))
            expect(changed.status in (200, 400), f"{changed}")
        shown = service.show(node)
        for part in ("instance_info", "extra", "driver_info"):
            if "foo" in shown[part]:
                expect(shown[part]["foo"] == "corten:sealed:k0:AAAA", f"{part}.foo became {shown[part]['foo']}")
        service.stop()
        for words in (["db", "check"], ["db", "rotate-key"], ["db", "check"],
                      ["db", "backup", os.path.join(service.folder, "backup.db")]):
            done = service.run(*words)
            expect(done.returncode == 0, f"corten {' '.join(words[:2])}: {done.stderr[-300:]}")
        for name in os.listdir(service.data):
            if name.startswith("corten.db"):
                os.rename(os.path.join(service.data, name), os.path.join(service.folder, "old-" + name))
        done = service.run("db", "restore", os.path.join(service.folder, "backup.db"))
        expect(done.returncode == 0, f"corten db restore: {done.stderr[-300:]}")


def connected(service):
    try:
        return socket.create_connection(("127.0.0.1", service.port), timeout=5)
    except OSError as error:
        raise Failed(f"nobody gets in any more: {error}") from None


def connections_of_one(lab):
    """8: idle connections and streams shut others out"""
    with lab.service("corten.max_connections=80", auth="keystone", keystone=lab.keystone) as service:
        service.node(token=T("SA"), name="one")
        idle = []
        try:
            for n in range(240):
                idle.append(connected(service))
                if n % 2:
                    idle[-1].sendall(b"GET /v1/ HTTP/1.1\r\nhost: x\r\nx-half: ")
            answer = service.ask("GET", "/v1/nodes", token=T("SA"), timeout=10)
            expect(answer.status == 200, f"beside 240 idle connections: {answer}")
        finally:
            for s in idle:
                s.close()
        streams = []
        try:
            head = ("GET /corten/v1/events HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n"
                    f"x-auth-token: {T('LR')}\r\n\r\n").encode()
            for _ in range(120):
                streams.append(connected(service))
                streams[-1].sendall(head)
            time.sleep(1)
            # One address may not have everything: others come from another one.
            answer = service.ask("GET", "/v1/nodes", token=T("SA"), timeout=10, source="127.0.0.2")
            expect(answer.status == 200, f"beside 120 streams: {answer}")
            answer = service.anonymous("GET", "/v1/lookup?addresses=52:54:00:00:08:01", timeout=10, source="127.0.0.2")
            expect(answer.status == 404, f"an agent beside 120 streams: {answer}")
        finally:
            for s in streams:
                s.close()


def pages_of_others(lab):
    """9: CSRF and DNS rebinding"""
    plain = {"Content-Type": "text/plain"}
    evil = {"Origin": "https://evil.example"}
    for service in (lab.open, lab.basic):
        for headers in ({**evil, **plain}, {"Sec-Fetch-Site": "cross-site", **plain}, {"Origin": "null", **plain},
                        {**evil, "Content-Type": "application/x-www-form-urlencoded"},
                        {"Origin": f"http://localhost:{service.port}.evil.example", **plain},
                        {"Origin": f"http://127.0.0.1:{free_port()}", **plain}):
            for path, body in (("/v1/nodes", {"driver": "fake-hardware"}),
                               ("/corten/v1/webhooks", {"url": "http://127.0.0.1:9/x"})):
                answer = service.ask("POST", path, body, headers=headers)
                expect(answer.status == 403, f"{service.name}: POST {path} with {headers}: {answer}")
        answer = service.ask("POST", "/v1/nodes", {"driver": "fake-hardware"},
                             headers={"Origin": f"http://127.0.0.1:{service.port}", "Sec-Fetch-Site": "same-origin"})
        expect(answer.status == 201, f"our own page is refused: {answer}")
    for name in ("rebind.evil.example", f"rebind.evil.example:{lab.open.port}", "127.0.0.1.evil.example",
                 "localhost.evil.example", "127.0.0.1@evil.example", "10.1.2.3", "", "evil.example:127.0.0.1"):
        for method, path in (("GET", "/v1/nodes"), ("GET", "/corten/v1/events"), ("POST", "/v1/nodes"), ("GET", "/v1/")):
            answer = lab.open.ask(method, path, {"driver": "fake-hardware"} if method == "POST" else None,
                                  headers={"Host": name})
            expect(answer.status in (421, 400), f"{method} {path} as '{name}': {answer.status}")
    for name in (f"localhost:{lab.open.port}", "127.0.0.1", "[::1]:6385", "127.8.8.8"):
        answer = lab.open.ask("GET", "/v1/nodes?limit=1", headers={"Host": name})
        expect(answer.status == 200, f"as '{name}': {answer}")


def passwords_elsewhere(lab):
    """10: a stored BMC password is sent to an address that an owner's member writes"""
    cloud = lab.cloud
    thief = Peer(lambda handler: handler.give(401, {}))
    node = cloud.node(token=T("SA"), driver="redfish", owner=Keystone.PROJECTS["owner"], driver_info={
        "redfish_address": "https://192.0.2.77", "redfish_username": "root", "redfish_password": "SYSADMIN-BMC-PW",
        "redfish_system_id": "/redfish/v1/Systems/1"})
    for change in (("replace", "/driver_info/redfish_address", thief.url),
                   ("replace", "/driver_info/redfish_address", "https://192.0.2.78"),
                   ("replace", "/driver_info/redfish_system_id", "/redfish/v1/Systems/2"),
                   ("add", "/driver_info/redfish_verify_ca", False)):
        answer = cloud.patch(node, change, token=T("OM"))
        expect(answer.status == 400, f"{change[:2]} by an owner's member: {answer}")
    # Two requests in place of one do not help: what is removed is gone.
    answer = cloud.ask("PATCH", f"/v1/nodes/{node}", [
        {"op": "remove", "path": "/driver_info/redfish_address"},
        {"op": "add", "path": "/driver_info/redfish_address", "value": thief.url}], token=T("OM"))
    expect(answer.status == 400, f"remove and add in one patch: {answer}")
    for op in ([{"op": "remove", "path": "/driver_info/redfish_address"}],
               [{"op": "add", "path": "/driver_info/redfish_address", "value": thief.url}]):
        answer = cloud.ask("PATCH", f"/v1/nodes/{node}", op, token=T("OM"))
    expect(answer.status == 400, f"remove, then add: {answer}")
    # The mask is no password, and is not taken for the one that it hides.
    answer = cloud.patch(node, ("replace", "/driver_info", {
        "redfish_address": thief.url, "redfish_username": "root", "redfish_password": "******",
        "redfish_system_id": "/redfish/v1/Systems/1"}), token=T("OM"))
    if answer.status == 200:
        cloud.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "manage"}, token=T("SA"))
        cloud.reaches(node, ["enroll", "manageable"], T("SA"))
    thief.close()
    expect(not any(b"SYSADMIN-BMC-PW" in content for *_, content in thief.seen), "the thief has the password")


def parameters_of_ramdisks(lab):
    """11: tenants write the kernel command line of the agent's ramdisk"""
    if not lab.outside:
        raise Skipped("needs a network namespace of its own, for a server of images")
    cloud, mac = lab.cloud, "52:54:00:00:0b:01"
    node = cloud.available(token=T("SA"), boot_interface="ipxe", deploy_interface="direct", mac=mac,
                           lessee=Keystone.PROJECTS["lessee"])
    cloud.name_image(node, T("LA"), kernel_append_params='corten.shell ipa-insecure=1 rdinit=/bin/sh sshkey="x"')
    cloud.provision(node, "active", ["wait call-back"], T("SA"))
    config = request(cloud.http, "GET", f"/pxelinux.cfg/{mac.replace(':', '-')}")
    if config.status != 200:
        config = request(cloud.http, "GET", f"/{node}/config")
    expect(config.status == 200 and "ipa-api-url" in config.text, f"no boot configuration: {config}")
    for word in ("corten.shell", "rdinit", "sshkey"):
        expect(word not in config.text, f"the lessee's {word} is in the agent's boot configuration")


def flood_of_machines(lab):
    """12: unknown machines fill the database by auto-discovery"""
    with lab.service("auto_discovery.enabled=true", "auto_discovery.driver=fake-hardware",
                     "DEFAULT.default_inspect_interface=agent") as service:
        def machine(n, more=None):
            return {"inventory": {"interfaces": [{"name": "e", "mac_address": f"52:54:01:00:{n >> 8:02x}:{n & 255:02x}"}],
                                  "cpu": {"count": 1}, "memory": {"physical_mb": 1}, "disks": []}, **(more or {})}

        statuses = [service.anonymous("POST", "/v1/continue_inspection", machine(n)).status for n in range(160)]
        nodes = len(service.ask("GET", "/v1/nodes?limit=1000").json()["nodes"])
        expect(nodes > 0, f"nothing is discovered: {statuses[:3]}")
        expect(nodes <= 110, f"{nodes} nodes were made for {len(statuses)} reports")
    with lab.service("auto_discovery.enabled=true", "auto_discovery.driver=fake-hardware",
                     "DEFAULT.default_inspect_interface=agent") as service:
        answer = service.anonymous("POST", "/v1/continue_inspection", machine(1, {"logs": "A" * (3 * MIB)}))
        expect(answer.status in (400, 413), f"a report of 3 MiB of an unknown machine is taken: {answer}")


SLOW_HASH = "ada:$2y$09$QHW91dfzNsmATWo9PYjwYekay6lhpmoWqbp39cGTyA/cRhjWQxh06\n"


def passwords_being_verified(lab):
    """13, 14: bcrypt threads without bound; user names told by timing"""
    folder = lab.folder("slow")
    with open(os.path.join(folder, "users"), "w") as users:
        users.write(SLOW_HASH.replace("$09$", "$09$"))
    with lab.service(auth="http_basic", folder=folder) as service:
        def wrong(user):
            return {"Authorization": "Basic " + base64.b64encode(f"{user}:wrong".encode()).decode()}

        def time_of(user):
            start = time.monotonic()
            answer = service.request("GET", "/v1/nodes", headers=wrong(user))
            expect(answer.status == 401, f"{answer}")
            return time.monotonic() - start

        known = min(time_of("ada") for _ in range(3))
        unknown = min(time_of(f"nobody-{n}") for n in range(3))
        threads_before = int(service_status(service, "Threads"))
        head = "GET /v1/nodes HTTP/1.1\r\nhost: localhost\r\nauthorization: {}\r\n\r\n".format(
            wrong("ada")["Authorization"]).encode()
        for _ in range(60):
            with socket.create_connection(("127.0.0.1", service.port)) as s:
                s.sendall(head)
                time.sleep(0.01)
        most = 0
        for _ in range(20):
            most = max(most, int(service_status(service, "Threads")))
            time.sleep(0.05)
        expect(unknown > known / 4, f"14: an unknown user costs {unknown * 1000:.1f} ms, a known one {known * 1000:.1f} ms")
        expect(most <= threads_before + 16, f"13: {threads_before} threads became {most}")


def service_status(service, key):
    with open(f"/proc/{service.process.pid}/status") as status:
        return next(line.split()[1] for line in status if line.startswith(key + ":"))


def tls_of_agents(lab):
    """15: [agent]require_tls is passed by a space before the address"""
    with lab.service("agent.require_tls=true") as service:
        mac = "52:54:00:00:0f:01"
        node = service.waits_for_agent(mac)
        token = looked_up(service, mac)
        for url in (" http://127.0.0.1:9999", "\thttp://127.0.0.1:9999", "HTTP://127.0.0.1:9999",
                    "http://127.0.0.1:9999", "ht\ntp://127.0.0.1:9999", "http:/127.0.0.1:9999"):
            answer = heartbeat(service, node, token, url)
            expect(answer.status == 400, f"callback_url {url!r} is taken: {answer}")


def secrets_of_images(lab):
    """16, 17: secrets in the database and in answers that are not masked"""
    with lab.service("DEFAULT.enabled_hardware_types=fake-hardware,redfish,ipmi,snmp",
                     "DEFAULT.enabled_power_interfaces=fake,redfish,ipmitool,snmp") as service:
        secrets = {"image_url": "S3CR3T-image-url", "image_source": "http://u:S3CR3T-source@192.0.2.1/i"}
        driver_info = {"ipmi_hex_kg_key": "533343523354" * 3, "snmp_community": "S3CR3T-community",
                       "snmp_community_write": "S3CR3T-write", "redfish_address": "https://root:S3CR3T-bmc@192.0.2.1",
                       "ipmi_password": "S3CR3T-ipmi"}
        node = service.node(instance_info=secrets, driver_info=driver_info)
        answer = service.ask("PATCH", f"/v1/nodes/{node}", [{"op": "add", "path": "/instance_info/nope/x", "value": 1}])
        expect("S3CR3T" not in answer.text, f"16: a failed PATCH shows a secret: {answer}")
        shown = service.ask("GET", f"/v1/nodes/{node}").text
        found = re.findall(r"S3CR3T-[a-z-]*|533343523354", shown)
        expect(not found, f"17: shown to everybody: {found}")
        service.stop()
        stored = b""
        for name in os.listdir(service.data):
            path = os.path.join(service.data, name)
            if name.startswith("corten.db") and os.path.isfile(path):
                stored += open(path, "rb").read()
        for secret in (b"S3CR3T-image-url", b"S3CR3T-source", b"S3CR3T-bmc", b"S3CR3T-community", b"S3CR3T-write", b"S3CR3T-ipmi", b"533343523354"):
            expect(secret not in stored, f"16/17: {secret.decode()} is in the database in clear")


def names_of_nodes(lab):
    """18: names of nodes can be tested by heartbeats without a token"""
    lab.open.node(name="exists-here")
    body = {"callback_url": "http://127.0.0.1:9999", "agent_version": "13.0", "agent_token": "wrong"}
    there = lab.open.anonymous("POST", "/v1/heartbeat/exists-here", body)
    not_there = lab.open.anonymous("POST", "/v1/heartbeat/exists-not", body)
    expect(there.status == not_there.status and there.text == not_there.text.replace("exists-not", "exists-here"),
           f"{there} for a node that is there, {not_there} for another")


def dhcp_message(mac, kind=1, giaddr="10.99.0.2", wanted=None, server=None):
    out = struct.pack("!BBBBIHH4s4s4s4s", 1, 1, 6, 1, int.from_bytes(os.urandom(4), "big"), 0, 0, b"\0" * 4, b"\0" * 4,
                      b"\0" * 4, socket.inet_aton(giaddr)) + mac + b"\0" * 202 + b"\x63\x82\x53\x63"
    out += bytes([53, 1, kind])
    if wanted:
        out += bytes([50, 4]) + wanted
    if server:
        out += bytes([54, 4]) + server
    return out + b"\xff"


def dhcp_exchange(relay, mac):
    """An address for a machine that asks through a relay, or None."""
    def ask(message):
        relay.sendto(message, ("10.99.0.1", 67))
        try:
            while True:
                answer = relay.recv(2048)
                if answer[4:8] == message[4:8]:
                    return answer
        except socket.timeout:
            return None

    offer = ask(dhcp_message(mac))
    if offer is None:
        return None
    address = offer[16:20]
    ack = ask(dhcp_message(mac, 3, wanted=address, server=socket.inet_aton("10.99.0.1")))
    return socket.inet_ntoa(address) if ack and b"\x35\x01\x05" in ack else None


def addresses_for_strangers(lab):
    """19: machines that nobody enrolled take every address"""
    if not lab.namespace:
        raise Skipped("needs a network namespace of its own")
    with lab.service("corten.dhcp=server", "corten.dhcp_others=address",
                     "corten.dhcp_networks=10.99.0.0/24 range=10.99.0.100-10.99.0.119 server=10.99.0.1") as service:
        known = "52:54:00:00:13:01"
        service.node(mac=known)
        with socket.socket(type=socket.SOCK_DGRAM) as relay:
            relay.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            relay.bind(("10.99.0.2", 67))
            relay.settimeout(1)
            taken = sum(dhcp_exchange(relay, b"\x02\x00\x00\x00\x13" + bytes([n])) is not None for n in range(22))
            expect(taken > 0, "the DHCP server gives nobody an address")
            relay.settimeout(5)
            address = dhcp_exchange(relay, bytes.fromhex(known.replace(":", "")))
            expect(address, f"{taken} strangers have addresses, and a known machine gets none")


def files_of_the_service(lab):
    """20: file:// names the service's own database, keys and other nodes' images"""
    with lab.service(f"conductor.file_url_allowed_paths=/") as service:
        places = {"the database": "corten.db", "keys": "keys"}
        for what, name in places.items():
            path = os.path.join(service.data, name)
            expect(os.path.exists(path), f"{path} is not there")
            node = service.available(deploy_interface="ramdisk", boot_interface="ipxe",
                                     mac=f"52:54:00:00:14:{len(what):02x}")
            url = f"file://{path}"
            service.patch(node, ("add", "/instance_info", {"kernel": url, "ramdisk": url}))
            asked = service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "active"})
            if asked.status == 202:
                service.reaches(node, ["active", "deploy failed"])
            answer = request(service.http, "GET", f"/{node}/kernel")
            expect(answer.status == 404, f"{what} is published as a kernel ({len(answer.body)} bytes)")


@contextlib.contextmanager
def on_postgres(lab, *options):
    """A service on a database of its own, behind something that can freeze it."""
    postgres = os.environ.get("CORTEN_TEST_POSTGRES") if shutil.which("psql") else None
    if not postgres:
        raise Skipped("needs scripts/with-postgres")
    words = dict(word.split("=", 1) for word in postgres.split())
    name = f"attack_{os.urandom(6).hex()}"
    psql = ["psql", "-q", "-h", words["host"], "-U", words["user"], words["dbname"], "-c"]
    subprocess.run([*psql, f"CREATE DATABASE {name}"], check=True)
    freezer = Freezer(f"{words['host']}/.s.PGSQL.{words.get('port', 5432)}")
    url = f"database.connection=postgresql://{words['user']}@127.0.0.1:{freezer.port}/{name}"
    service = lab.service(url, *options, wait=False)
    try:
        service.stop()
        for command in ("upgrade", "rotate-key"):
            done = service.run("db", command)
            if done.returncode:
                raise RuntimeError(f"no database: {done.stderr}")
        service.start()
        yield service, freezer
    finally:
        service.stop(signal.SIGKILL)
        service.close()
        freezer.close()
        subprocess.run([*psql, f"DROP DATABASE {name} WITH (FORCE)"], check=False)


def database_that_stops(lab):
    """21: a change waits for ever when the database is frozen"""
    with on_postgres(lab) as (service, freezer):
        service.node()
        freezer.frozen.set()
        start = time.monotonic()
        answer = service.ask("POST", "/v1/nodes", {"driver": "fake-hardware"}, timeout=50)
        expect(answer.status == 503, f"after {time.monotonic() - start:.0f} s: {answer}")


class Freezer:
    """Passes bytes on to a Unix socket until it is told to hold them back."""

    def __init__(self, path):
        self.path, self.frozen = path, threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.path)
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=pair, daemon=True).start()

    def copy(self, source, target):
        try:
            while piece := source.recv(65536):
                while self.frozen.is_set():
                    time.sleep(0.1)
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.frozen.clear()
        self.listener.close()


def keys_for_everybody(lab):
    """22: a key file that everybody may read is used without a word"""
    with lab.service() as service:
        service.stop()
        os.chmod(os.path.join(service.data, "keys"), 0o644)
        open(service.log_path, "w").close()
        service.start(wait=False)
        until = time.monotonic() + 15
        while time.monotonic() < until and service.process.poll() is None and not service.is_alive(1):
            time.sleep(0.1)
        log = service.log()
        expect(re.search(r"WARN.*read the key file|refuse.*key file", log), f"nothing is said: {log[:300]}")


def escapes_on_terminals(lab):
    """23: control characters reach the operator's terminal"""
    text = "a\x1b[31mred\x9b31m\u202egnp"
    name = "terminal"
    node = lab.open.node(name=name, description=text, extra={"k": text})
    for form in ("value", "csv", "shell", "table", "json", "yaml"):
        words = [lab.program, "node", "show", node, "--fields", "description", "extra", "-f", form]
        if form == "csv":
            words = [lab.program, "node", "list", "--fields", "description", "extra", "-f", form]
        main, child = pty.openpty()
        environment = {**os.environ, "OS_ENDPOINT": f"http://127.0.0.1:{lab.open.port}", "OS_AUTH_TYPE": "none",
                       "TERM": "dumb", "NO_COLOR": "1"}
        process = subprocess.Popen(words, stdout=child, stderr=child, stdin=subprocess.DEVNULL, env=environment)
        os.close(child)
        said = b""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if not select.select([main], [], [], 1)[0]:
                continue
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
        process.wait()
        os.close(main)
        shown = said.decode("utf-8", "replace")
        expect("red" in shown, f"-f {form} shows nothing: {shown[:200]!r}")
        for bad in ("\x1b[31m", "\x9b", "\u202e"):
            expect(bad not in shown, f"-f {form} lets {bad!r} through")


def files_of_the_demo(lab):
    """24: the demo publishes any file of its user"""
    port = free_port()
    folder = lab.folder("demo")
    secret = os.path.join(folder, "private")
    with open(secret, "w") as out:
        out.write("private")
    log = open(os.path.join(folder, "log"), "wb")
    demo = subprocess.Popen([lab.program, "demo", "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    usage = demo.communicate(timeout=20)[0]
    words = ["--set", f"api.port={port}"] if "--set" in usage else ["--port", str(port)]
    demo = subprocess.Popen([lab.program, "demo", *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                            env={**os.environ, "HOME": folder, "XDG_DATA_HOME": folder}, start_new_session=True)
    try:
        until = time.monotonic() + 30
        while request(port, "GET", "/v1/", timeout=2).status != 200:
            if demo.poll() is not None or time.monotonic() > until:
                raise Skipped("the demo does not start here")
            time.sleep(0.1)
        config = lab.source("crates/corten/src/demo/real.rs")
        expect(config is None or not re.search(r'file_url_allowed_paths"?,?\s*\(?"/"', config),
               "file_url_allowed_paths=/ in the demo")
        expect(config is None or "file_url_allowed_paths=/\"" not in config, "file_url_allowed_paths=/ in the demo")
    finally:
        demo.terminate()
        try:
            demo.wait(10)
        except subprocess.TimeoutExpired:
            demo.kill()
            demo.wait()


def tftp_amplification(lab):
    """25: TFTP answers a forged request many times over"""
    with lab.service() as service:
        node = service.available(boot_interface="pxe", deploy_interface="direct", mac="52:54:00:00:19:01")
        service.name_image(node)
        service.provision(node, "active", ["wait call-back"])
        with socket.socket(type=socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.1", 0))
            s.settimeout(12)
            s.sendto(b"\0\1" + f"{node}/config".encode() + b"\0octet\0", ("127.0.0.1", service.tftp))
            got, until = [], time.monotonic() + 14
            try:
                while time.monotonic() < until:
                    got.append(len(s.recv(2048)))
            except socket.timeout:
                pass
        expect(got, "TFTP does not answer")
        expect(len(got) <= 2, f"{len(got)} packets of {got[0]} bytes for one request without an acknowledgement")


def lines_in_webhooks(lab):
    """26: webhook addresses with line breaks"""
    for url in ("http://127.0.0.1:9/x\r\nX-Evil: 1", "http://127.0.0.1:9/\n", "http://127.0.0.1:9/ HTTP/1.1\r\n\r\n", "\thttp://127.0.0.1:9/"):
        answer = lab.open.ask("POST", "/corten/v1/webhooks", {"url": url})
        expect(answer.status == 400, f"{url!r}: {answer}")


def supply_chain(lab):
    """27: unmaintained dependencies"""
    lock, deny = lab.source("Cargo.lock"), lab.source("deny.toml")
    if lock is None or deny is None:
        raise Skipped("there are no sources beside the program")
    expect("[advisories]" in deny, "deny.toml has no [advisories]")
    if 'name = "rustls-pemfile"' in lock:
        expect("RUSTSEC-2025-0134" in deny, "rustls-pemfile is there and nothing says why")


CHECKS = [
    ("1a", json_of_anybody), ("1b", json_of_many_interfaces), ("2", authority_that_never_ends),
    ("3", json_of_machines), ("4", discs_with_tokens), ("5", requests_for_tenants), ("6", agent_of_elsewhere),
    ("7", sealed_by_tenants), ("8", connections_of_one), ("9", pages_of_others), ("10", passwords_elsewhere),
    ("11", parameters_of_ramdisks), ("12", flood_of_machines), ("13,14", passwords_being_verified),
    ("15", tls_of_agents), ("16,17", secrets_of_images), ("18", names_of_nodes), ("19", addresses_for_strangers),
    ("20", files_of_the_service), ("21", database_that_stops), ("22", keys_for_everybody),
    ("23", escapes_on_terminals), ("24", files_of_the_demo), ("25", tftp_amplification),
    ("26", lines_in_webhooks), ("27", supply_chain),
]
