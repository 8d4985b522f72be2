"""Attacks on limits, guards and options that came later."""
import hashlib
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
import uuid

from findings import bounded, connected, heartbeat, looked_up
from service import (Failed, JSON, Keystone, MIB, Peer, Service, Skipped, dense, expect, free_port, raw, request)

T = Keystone.token
IPV6_FREEBIND = 78
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def forms(lab):
    """N1: memory for forms with very many values"""
    with lab.service() as service:
        node = service.node()
        for unit in (b"a&", b"target=x&", b"a;"):
            body = unit * (6 * MIB // len(unit))
            rise, answer = service.rises(
                lambda: service.ask("PUT", f"/v1/nodes/{node}/states/provision", body, headers=FORM))
            bounded(rise, len(body), f"a form of {unit}")
            expect(answer.status == 400, f"{answer}")


def patches(lab):
    """N2: a patch whose operations each cost as much as the whole node"""
    with lab.service() as service:
        node = service.node(extra={"l": list(range(60_000))})
        for op in ({"op": "add", "path": "/extra/a", "value": 1}, {"op": "add", "path": "/extra/l/0", "value": 1},
                   {"op": "remove", "path": "/extra/l/0"}):
            start = time.monotonic()
            answer = service.ask("PATCH", f"/v1/nodes/{node}", [op] * 10_000, timeout=20)
            took = time.monotonic() - start
            expect(answer.status in (200, 400), f"10,000 operations {op['op']} {op['path']} take {took:.0f} s: {answer}")
        expect(service.is_alive(), "the service does not answer")


def addresses_of_one_machine(lab):
    """N3: one machine with many IPv6 addresses takes every connection"""
    if not lab.namespace:
        raise Skipped("needs a network namespace of its own")
    if subprocess.run(["ip", "-6", "route", "add", "local", "fd99:1::/64", "dev", "lo"], capture_output=True).returncode:
        raise Skipped("there is no IPv6 here")
    with lab.service("corten.max_connections=80", "api.host_ip=::", auth="keystone", keystone=lab.keystone, wait=False) as service:
        until = time.monotonic() + 20
        while request(service.port, "GET", "/v1/", host="fd99::1").status != 200:
            expect(time.monotonic() < until, f"no service: {service.log()[-300:]}")
            time.sleep(0.1)
        held = []
        try:
            for n in range(120):
                s = socket.socket(socket.AF_INET6)
                s.settimeout(3)
                s.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
                s.bind((f"fd99:1::{n + 1:x}", 0))
                try:
                    s.connect(("fd99::1", service.port))
                    # A body that does not come keeps the request under way.
                    s.sendall(b"POST /v1/heartbeat/x HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{")
                except OSError as error:
                    raise Failed(f"nobody gets in any more: {error}") from None
                held.append(s)
            time.sleep(0.5)
            answer = request(service.port, "GET", "/v1/nodes", headers={"X-Auth-Token": T("SA")}, host="fd99::1",
                             source="fd99::1", timeout=8)
            expect(answer.status == 200, f"beside 120 addresses of one machine: {answer}")
        finally:
            for s in held:
                s.close()


def bodies_that_stop(lab):
    """N4: large bodies that stop in the middle keep others' reports out"""
    with lab.service(auth="http_basic") as service:
        mac = "52:54:00:00:a4:01"
        node = service.node(inspect_interface="agent", driver_info={"fake_boots_ramdisks": True}, mac=mac)
        service.provision(node, "manage", ["manageable"])
        service.provision(node, "inspect", ["inspect wait"])
        held = []
        try:
            for _ in range(5):
                s = connected(service)
                held.append(s)
                try:
                    s.sendall(b"POST /v1/continue_inspection HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                              b"content-length: 16777000\r\n\r\n" + b" " * 16776000)
                except OSError:
                    pass
            report = {"inventory": {"interfaces": [{"mac_address": mac}]}, "logs": "x" * 200_000}
            statuses = []
            for _ in range(3):
                statuses.append(service.anonymous("POST", "/v1/continue_inspection", report).status)
                if statuses[-1] < 300:
                    break
            expect(statuses[-1] < 300, f"a report of 200 kB beside them: {statuses}")
        finally:
            for s in held:
                s.close()


def names_in_shells(lab):
    """N5: completion offers names that a shell would act on"""
    bad = ["$(touch pwned)", "`touch pwned`", ";touch pwned", "*", "a b", "x\x1b[31m", "ok-1"]
    evil = Peer(lambda handler: handler.give(200, {"nodes": [{"uuid": name, "name": name} for name in bad]}))
    usage = subprocess.run([lab.program, "completion", "bash"], capture_output=True, text=True)
    if usage.returncode:
        raise Skipped("there is no completion")
    done = subprocess.run([lab.program, "__complete", "--", "node", "show", ""], capture_output=True, text=True, timeout=20,
                          env={**os.environ, "OS_ENDPOINT": evil.url, "OS_AUTH_TYPE": "none"})
    evil.close()
    offered = done.stdout.split("\n")
    expect("ok-1" in offered, f"nothing is offered: {done.stdout!r} {done.stderr!r}")
    for name in bad[:-1]:
        expect(name not in offered, f"{name!r} is offered")


def names_of_users(lab):
    """N6: `corten user` writes lines that are more than one user, or a file for everybody"""
    folder = lab.folder("users")
    users = os.path.join(folder, "users")

    def add(name, password="secret\n"):
        return subprocess.run([lab.program, "user", "add", "--file", users, "--", name], input=password, capture_output=True,
                              text=True, timeout=60)

    if add("ada").returncode:
        raise Skipped("there is no `corten user`")
    expect(os.stat(users).st_mode & 0o77 == 0, "the file is open to others")
    for name in ("", "a:b", "a\nroot:$2y$05$x", "a\rb", " a", ":"):
        expect(add(name).returncode != 0, f"a user {name!r} is added")
    expect(add("bob", "").returncode != 0, "an empty password is taken")
    with open(users) as file:
        expect(len(file.read().splitlines()) == 1, "there are more lines than users")
    # A file that is a link to somebody else's is not made into another one without its owner's will.
    expect("secret" not in open(users).read(), "the password is in the file")


def proxies_of_agents(lab):
    """N7: headers of clients behind a proxy that is known"""
    with lab.service("corten.agent_proxies=127.0.0.7") as service:
        mac = "52:54:00:00:a7:01"
        node = service.waits_for_agent(mac)
        token = looked_up(service, mac)
        body = {"callback_url": "http://127.0.0.1:9999", "agent_version": "13.0", "agent_token": token}
        for headers, source in (({"X-Forwarded-For": "127.0.0.1"}, "127.0.0.2"),
                                ({"X-Forwarded-For": "127.0.0.1, 10.9.9.9"}, "127.0.0.7"),
                                ({"X-Forwarded-For": "127.0.0.1,127.0.0.7,10.9.9.9,127.0.0.7"}, "127.0.0.7"),
                                ({"Forwarded": "for=127.0.0.1"}, "127.0.0.2"), ({"X-Real-IP": "127.0.0.1"}, "127.0.0.2")):
            answer = service.anonymous("POST", f"/v1/heartbeat/{node}", body, headers=headers, source=source)
            expect(answer.status == 400, f"{headers} from {source}: {answer}")
        answer = service.anonymous("POST", f"/v1/heartbeat/{node}", body, headers={"X-Forwarded-For": "10.8.8.8, 127.0.0.1"},
                                   source="127.0.0.7")
        expect(answer.status == 202, f"the agent behind the proxy is refused: {answer}")


def packets_of_anybody(lab):
    """N8: DHCP, DHCPv6 and TFTP packets of any shape"""
    if not lab.namespace:
        raise Skipped("needs a network namespace of its own")
    with lab.service("corten.dhcp=server", "corten.dhcp_others=boot",
                     "corten.dhcp_networks=10.99.0.0/24 range=10.99.0.100-10.99.0.119 server=10.99.0.1,"
                     "fd99::/64 range=fd99::100-fd99::200 interface=lo", wait=False) as service:
        until = time.monotonic() + 20
        while not service.is_alive(2):
            if service.process.poll() is not None:
                raise Skipped(f"DHCPv6 cannot be served here: {service.log()[-200:]}")
            expect(time.monotonic() < until, "no service")
        good = bytes([1, 1, 6, 0]) + bytes(232) + b"\x63\x82\x53\x63\x35\x01\x01\xff"
        good6 = bytes([1, 1, 2, 3]) + struct.pack("!HH", 1, 10) + b"\0\3\0\1\x52\x54\0\0\0\1" + struct.pack("!HHIII", 3, 12, 1, 0, 0)
        with socket.socket(type=socket.SOCK_DGRAM) as four, socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as six:
            four.bind(("10.99.0.2", 0))
            random = hashlib.sha256(b"seed").digest()
            for n in range(4000):
                random = hashlib.sha256(random).digest()
                packet = bytearray(good if n % 2 else good6)
                for at in range(1 + random[0] % 6):
                    packet[int.from_bytes(random[at * 2 + 1:at * 2 + 3], "big") % len(packet)] = random[at + 13]
                if random[20] % 4 == 0:
                    packet = packet[:random[21] % len(packet)]
                if random[22] % 4 == 0:
                    packet += random * (random[23] % 40)
                (four if n % 2 else six).sendto(bytes(packet), ("10.99.0.1", 67) if n % 2 else ("fd99::1", 547))
        expect(service.is_alive(), "the service is gone")
        expect("panicked" not in service.log(), "a thread panicked")


def handshakes(lab):
    """N9: half-finished TLS handshakes shut others out"""
    folder = lab.folder("tls")
    key, certificate = os.path.join(folder, "key"), os.path.join(folder, "cert")
    if not shutil.which("openssl") or subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
             "-subj", "/CN=localhost"], capture_output=True).returncode:
        raise Skipped("there is no openssl")
    with lab.service("api.enable_ssl_api=true", f"ssl.cert_file={certificate}", f"ssl.key_file={key}",
                     "corten.max_connections=80", wait=False) as service:
        def ask():
            context = ssl._create_unverified_context()
            with socket.create_connection(("127.0.0.1", service.port), timeout=10) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as s:
                    s.sendall(b"GET /v1/ HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                    return s.recv(12)

        until = time.monotonic() + 20
        while True:
            try:
                ask()
                break
            except OSError:
                expect(time.monotonic() < until, f"no service: {service.log()[-300:]}")
                time.sleep(0.1)
        hello = b"\x16\x03\x01\x00\xf0\x01\x00\x00\xec\x03\x03" + bytes(32)
        held = []
        try:
            for n in range(240):
                s = connected(service)
                s.sendall((hello, b"\x16", b"", b"\x16\x03\x01\xff\xff" + bytes(1000))[n % 4])
                held.append(s)
            try:
                expect(ask() == b"HTTP/1.1 200", "no answer")
            except OSError as error:
                raise Failed(f"beside 240 handshakes: {error!r}") from None
        finally:
            for s in held:
                s.close()


class Chatterer:
    """A TCP server that says the wrong things without an end."""

    def __init__(self, words):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.words, self.callers = words, 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                s = self.listener.accept()[0]
            except OSError:
                return
            self.callers += 1
            threading.Thread(target=self.talk, args=(s,), daemon=True).start()

    def talk(self, s):
        try:
            s.settimeout(20)
            for _ in range(64):
                s.sendall(self.words)
            s.recv(1)
        except OSError:
            pass

    def close(self):
        self.listener.close()


def peers_that_attack(lab):
    """N10: databases, brokers and collectors that answer anything"""
    chatter = [b"\xff" * MIB, b"\x00" * MIB, b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * MIB,
               # A greeting of MySQL, and packets that announce 16 MiB.
               b"J\0\0\0\n8.0.0\0" + bytes(60) + b"\xff\xff\xff\1" * 1000, b"AMQP\0\0\x09\x01" * 1000, b"R\x7f\xff\xff\xff" + b"N" * 1000]
    for words in chatter:
        peer = Chatterer(words)
        for kind in ("mysql", "postgresql"):
            service = lab.service(f"database.connection={kind}://u:p@127.0.0.1:{peer.port}/x", wait=False)
            try:
                until = time.monotonic() + 3
                while service.process.poll() is None and time.monotonic() < until:
                    try:
                        taken = service.memory("VmRSS")
                    except (Failed, FileNotFoundError):
                        break  # It has given up since.
                    expect(taken < 400 * MIB, f"{kind} takes {taken / MIB:.0f} MiB")
                    time.sleep(0.2)
                expect("panicked" not in service.log(), f"{kind}: {service.log()[-300:]}")
            finally:
                service.stop(signal.SIGKILL)
                service.close()
        peer.close()
    peers = [Chatterer(words) for words in chatter[:5]]
    for peer in peers:
        with lab.service(f"corten.otlp_endpoint=http://127.0.0.1:{peer.port}", "corten.otlp_percent=100",
                         "DEFAULT.notification_level=info", "oslo_messaging_notifications.driver=messagingv2",
                         f"oslo_messaging_notifications.transport_url=rabbit://u:p@127.0.0.1:{peer.port}/") as service:
            for n in range(20):
                service.node(name=f"n-{n}")
            time.sleep(1)
            expect(service.is_alive(), "the service does not answer")
            expect(service.memory("VmRSS") < 400 * MIB, f"{service.memory('VmRSS') / MIB:.0f} MiB")
            expect("panicked" not in service.log(), "a thread panicked")
        peer.close()


def clocks(lab):
    """N11: a clock that jumps by years"""
    library = next((os.path.join(root, name) for root, _, names in os.walk("/usr/lib") for name in names
                    if name == "libfaketimeMT.so.1"), None)
    if not library:
        raise Skipped("needs libfaketime")
    folder = lab.folder("clock")
    stamp = os.path.join(folder, "time")

    def jump(text):
        with open(stamp + ".new", "w") as out:
            out.write(text)
        os.rename(stamp + ".new", stamp)

    jump("+0")
    variables = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": stamp, "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1",
                 "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    os.environ.update(variables)
    try:
        service = lab.service(wait=False)
    finally:
        for name in variables:
            del os.environ[name]
    with service:
        until = time.monotonic() + 20
        while not service.is_alive(2):
            expect(time.monotonic() < until and service.process.poll() is None, f"no service: {service.log()[-300:]}")
        for n, step in enumerate(("+3650d", "-3650d", "+0", "-20000d", "+100d")):
            jump(step)
            time.sleep(0.3)
            node = service.node(name=f"clock-{n}")
            service.provision(node, "manage", ["manageable"], seconds=20)
            expect(service.ask("PUT", f"/v1/nodes/{node}/states/power", {"target": "power on"}).status == 202, "no power")
            expect(service.is_alive(), "no answer")
        expect("panicked" not in service.log(), f"a thread panicked: {service.log()[-300:]}")


def templates(lab):
    """N12: what tenants write is part of a template"""
    folder = lab.folder("template")
    path = os.path.join(folder, "ipxe")
    with open(path, "w") as out:
        out.write("#!ipxe\ngoto deploy\n:deploy\nkernel {{ pxe_options.deployment_aki_path }} {{ pxe_options.pxe_append_params|default(\"\") }}\n"
                  "initrd {{ pxe_options.deployment_ari_path }}\nboot\n:boot_ramdisk\nkernel {{ pxe_options.aki_path }} {{ pxe_options.ramdisk_opts }}\n")
    with lab.service(f"pxe.ipxe_config_template={path}") as service:
        if "ipxe_config_template has no effect" in service.log():
            raise Skipped("templates are not read")
        for n, words in enumerate(("{{ pxe_options.tftp_server }}", "{% if x %}", "a\nshell", "x || shell", "${net0/mac}", "x;reboot", "a\rb")):
            mac = f"52:54:00:00:ac:{n:02x}"
            node = service.available(boot_interface="ipxe", deploy_interface="direct", mac=mac,
                                     driver_info={"kernel_append_params": words})
            service.name_image(node)
            asked = service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "active"})
            if asked.status != 202:
                continue
            found = service.reaches(node, ["wait call-back", "deploy failed"])
            if found["provision_state"] == "deploy failed":
                continue
            config = request(service.http, "GET", f"/pxelinux.cfg/{mac.replace(':', '-')}").text
            for line in config.splitlines():
                expect(line.strip() not in ("shell", "reboot") and "||" not in line, f"{words!r} became a command: {config}")
            if "{{" in words:
                expect(words in config, f"{words} was looked at as a template: {config}")


def connections_for_boot_files(lab):
    """N13: connections of one machine for boot files shut out other machines, and the API"""
    with lab.service(files=256) as service:
        held = []
        try:
            for n in range(400):
                s = socket.socket()
                s.settimeout(2)
                try:
                    s.connect(("127.0.0.1", service.http))
                    s.sendall(b"GET /boot.ipxe HTTP/1.1\r\nx: "[:n % 40])
                except TimeoutError:
                    # There is no room for more; now others try.
                    break
                except OSError:
                    pass
                finally:
                    held.append(s)
            answer = service.request("GET", "/v1/", timeout=10)
            expect(answer.status == 200, f"the API beside 400 connections for boot files: {answer}")
            answer = request(service.http, "GET", "/boot.ipxe", timeout=10, source="127.0.0.2")
            expect(answer.status == 200, f"another machine's boot files: {answer}")
        finally:
            for s in held:
                s.close()


def lists_of_large_nodes(lab):
    """N14: memory for lists of nodes that are large"""
    with lab.service() as service:
        for n in range(90):
            service.node(name=f"large-{n}", extra={"x": "y" * 1_000_000})
        rise, answer = service.rises(lambda: service.ask("GET", "/v1/nodes/detail"))
        expect(rise < 160 * MIB, f"a list of 90 nodes of 1 MB each takes {rise / MIB:.0f} MiB")
        found, path = [], "/v1/nodes/detail?driver=fake-hardware"
        while path:
            page = service.ask("GET", path).json()
            found += [node["name"] for node in page["nodes"]]
            path = page.get("next", "").partition(str(service.port))[2]
        expect(sorted(found) == sorted(f"large-{n}" for n in range(90)), f"pages hold {len(found)} nodes of 90")


def nodes_that_cannot_be_read(lab):
    """N15: patches that nest values until nobody can read the node, nor any list with it"""
    with lab.service() as service:
        node = service.node(name="deep")
        value = 1
        for _ in range(20):
            value = {"a": value}
        path, refused = "/extra/a", None
        for _ in range(20):
            answer = service.patch(node, ("add", path, value))
            if answer.status != 200:
                refused = answer
                break
            path += "/a" * 20
        for path in (f"/v1/nodes/{node}", "/v1/nodes/detail"):
            answer = service.ask("GET", path)
            expect(answer.status == 200, f"{path}: {answer}")
        expect(refused is not None and refused.status == 400, f"values are nested without end: {refused}")


def nodes_of_any_size(lab):
    """N16: patches that make one node take all memory"""
    with lab.service() as service:
        node = service.node(name="large")
        for n in range(24):
            answer = service.patch(node, ("add", f"/extra/k{n}", "y" * 1_000_000))
            if answer.status != 200:
                break
        expect(answer.status == 400, f"a node of {n + 1} MB: {answer.status}")
        expect(service.patch(node, ("remove", "/extra/k0", None)).status in (200, 400), "no answer")
        expect(service.is_alive(), "the service does not answer")


def keys_like_others(lab):
    """N17: keys that resemble known ones, by the thousand or very long, each an event or a long comparison"""
    with lab.service() as service:
        letters = "abcdefghijklmnopqrstuvwxyz"
        many = {"ipmi_address"[:at] + a + b + "ipmi_address"[at:]: 1 for at in range(12) for a in letters for b in letters}
        for what, info in (("many", many), ("long", {"k" * 900_000: 1})):
            answer = service.ask("POST", "/v1/nodes", {"driver": "ipmi", "name": what, "driver_info": info}, timeout=8)
            expect(answer.status == 201, f"{what} keys: {answer}")
        events = service.ask("GET", "/corten/v1/events?after=0&limit=1000").json()["events"]
        expect(len(events) < 20, f"{len(events)} events of two requests")


def settings_by_the_thousand(lab):
    """N18: a BMC with as many BIOS settings and descriptions as fit freezes the service"""
    names = [f"s{n:06}" for n in range(60_000)]
    documents = {
        "/redfish/v1": {"Systems": {"@odata.id": "/redfish/v1/Systems"}, "Registries": {"@odata.id": "/redfish/v1/Registries"}},
        "/redfish/v1/Systems": {"Members": [{"@odata.id": "/redfish/v1/Systems/1"}]},
        "/redfish/v1/Systems/1": {"Id": "1", "PowerState": "On", "Bios": {"@odata.id": "/redfish/v1/Systems/1/Bios"}},
        "/redfish/v1/Systems/1/Bios": {"AttributeRegistry": "BiosAttributeRegistry.1", "Attributes": {name: 1 for name in names}},
        "/redfish/v1/Registries": {"Members": [{"@odata.id": "/redfish/v1/Registries/1"}]},
        "/redfish/v1/Registries/1": {"Registry": "BiosAttributeRegistry.1", "Location": [{"Language": "en", "Uri": "/registry.json"}]},
        "/registry.json": {"RegistryEntries": {"Attributes": [{"AttributeName": name} for name in reversed(names)]},
                           # More values are allowed in larger documents.
                           "Description": "x" * 5_000_000},
    }

    def answer(handler):
        document = documents.get(handler.path.rstrip("/"))
        if document is None:
            return handler.give(404, {})
        handler.give(200, {"@odata.id": handler.path, **document}, [("Content-Type", "application/json")])

    with lab.service("DEFAULT.enabled_bios_interfaces=redfish,no-bios") as service:
        # More than there are threads of the runtime.
        bmcs = [Peer(answer) for _ in range(os.cpu_count() + 2)]
        nodes = [service.node(driver="redfish", bios_interface="redfish", driver_info={
            "redfish_address": bmc.url, "redfish_username": "u", "redfish_password": "p",
            "redfish_system_id": "/redfish/v1/Systems/1"}) for bmc in bmcs]
        for node in nodes:
            service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "manage"})
        until, waiting = time.monotonic() + 60, set(nodes)
        while waiting:
            expect(time.monotonic() < until, f"{len(waiting)} nodes are still being verified after a minute")
            answer = service.ask("POST", "/v1/nodes", {"driver": "fake-hardware"}, timeout=10)
            expect(answer.status == 201, f"the API does not answer any more: {answer}")
            waiting = {node for node in waiting if service.show(node)["provision_state"] == "verifying"}
            time.sleep(0.5)
        settings = len(service.ask("GET", f"/v1/nodes/{nodes[0]}/bios").json()["bios"])
        expect(0 < settings <= 10_000, f"{settings} settings are stored")
        for bmc in bmcs:
            bmc.close()


def cloud_of(lab, answer, *options):
    """A service of a cloud whose Glance and Cinder answer so."""
    peer = Peer(answer)
    login = {"auth_type": "password", "auth_url": lab.keystone.url, "username": "ironic", "password": "SECTION-PW",
             "user_domain_name": "Default", "project_name": "service", "project_domain_name": "Default",
             "endpoint_override": peer.url}
    sections = [f"{section}.{name}={value}" for section in ("glance", "cinder") for name, value in login.items()]
    return peer, lab.service(*sections, *options, auth="keystone", keystone=lab.keystone)


def booted(service, number, kernel, token):
    """What is served as the kernel of a node that is to boot this one."""
    node = service.available(token=token, deploy_interface="ramdisk", boot_interface="ipxe", mac=f"52:54:00:00:a9:{number:02x}")
    service.patch(node, ("add", "/instance_info", {"kernel": kernel, "ramdisk": kernel, "image_source": kernel}), token=token)
    asked = service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "active"}, token=token)
    if asked.status == 202:
        service.reaches(node, ["active", "deploy failed"], token)
    error = service.show(node, token)["last_error"] or asked.text
    return request(service.http, "GET", f"/{node}/kernel").body, error


def images_of_glance(lab):
    """N19: images of Glance: files of this machine, the place of others in the cache, tokens in errors"""
    ids = {name: str(uuid.UUID(int=n, version=4)) for n, name in enumerate(("key", "hosts", "zero", "echo", "sound"), 1)}
    files, contents = {}, b"what Glance has"

    def answer(handler):
        name = handler.path.removeprefix("/v2/images/").partition("/")[0]
        if name == ids["echo"]:
            return handler.give(400, json.dumps(dict(handler.headers)).encode(), [("Content-Type", "text/plain")])
        if handler.path.endswith("/file"):
            return handler.give(200, contents)
        image = {"id": name, "status": "active", "visibility": "public", "size": len(contents),
                 "os_hash_algo": "sha256", "os_hash_value": hashlib.sha256(contents).hexdigest()}
        if name in files:
            image = {"id": name, "status": "active", "visibility": "public", "direct_url": f"file://{files[name]}"}
        handler.give(200, image, [("Content-Type", "application/json")])

    operators = b"the operator's kernel"
    # A server that has no ETags, as that of Python.
    mirror = Peer(lambda handler: handler.give(200, operators, [("Last-Modified", "Mon, 05 Oct 2020 10:00:00 GMT")]),
                  host=lab.outside or "127.0.0.1")
    address = f"{mirror.url}/kernel"
    os.environ["CORTEN_LOG"] = "trace"
    try:
        glance, service = cloud_of(lab, answer, "glance.allowed_direct_url_schemes=file")
    finally:
        del os.environ["CORTEN_LOG"]
    with service:
        files[ids["key"]] = f"{service.data}/keys"
        files[ids["hosts"]] = "/etc/hosts"
        files[ids["zero"]] = "/dev/zero"
        files[ids["sound"]] = f"{service.files}/shim.efi"
        for number, name in enumerate(("key", "hosts", "zero")):
            served, error = booted(service, number, ids[name], T("OA"))
            expect("direct_url" in error, f"{files[ids[name]]} is read and served: {served[:60]} {error}")
        served, error = booted(service, 3, ids["sound"], T("OA"))
        expect(served == b"\7" * 4096, f"a file of Glance is not read: {error}")
        _, error = booted(service, 4, ids["echo"], T("OA"))
        text = error + service.log()
        for secret in (T("OA"), "service-token", "SECTION-PW"):
            expect(secret not in text, f"{secret} is shown: ...{text[max(0, text.find(secret) - 200):][:300]}")
            for file in os.listdir(service.data):
                if file.startswith("corten.db"):
                    with open(os.path.join(service.data, file), "rb") as data:
                        expect(secret.encode() not in data.read(), f"{secret} is in {file}")
        chosen = str(uuid.uuid5(uuid.NAMESPACE_URL, address))
        served, error = booted(service, 5, chosen, T("XA"))
        expect(served == contents, f"an image of Glance is not served: {error}")
        served, error = booted(service, 6, address, T("OA"))
        expect(served == operators, f"an image of Glance stands for {address}: {served} {error}")
    glance.close()
    mirror.close()


def images_without_end(lab):
    """N20: an image without end fills the disk"""
    if not lab.outside:
        raise Skipped("needs a network namespace of its own")

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        while handler.command == "GET":
            handler.wfile.write(b"100000\r\n" + os.urandom(MIB) + b"\r\n")

    server = Peer(answer, host=lab.outside)
    folder = lab.folder("endless")
    free = shutil.disk_usage(folder).free
    # Others use this disk as well.
    room = 400 * MIB
    if free < 4 * room:
        raise Skipped("there is too little room on the disk")
    with lab.service(f"corten.image_disk_reserve={(free - room) // MIB}", auth="keystone", keystone=lab.keystone,
                     folder=folder) as service:
        _, error = booted(service, 0, f"{server.url}/endless", T("OA"))
        expect("bytes left" in error, f"an image without end: {error}")
        expect(free - shutil.disk_usage(folder).free < 2 * room, "it is still there")
        expect(service.is_alive(), "the service does not answer")
    server.close()


def volumes_of_others(lab):
    """N21: a volume of another project, attached when the service switches a machine on by itself"""
    volume, done = str(uuid.UUID(int=21, version=4)), []

    def answer(handler):
        if handler.command == "POST":
            done.append((handler.path, handler.content[:60]))
            return handler.give(202, {"connection_info": {"driver_volume_type": "fibre_channel", "data": {}}})
        if "/volumes/" not in handler.path:
            return handler.give(200, {"versions": [{"id": "v3.0", "version": "3.71"}]})
        if handler.headers.get("X-Auth-Token") != "service-token":
            return handler.give(404, {})
        handler.give(200, {"volume": {"id": volume, "status": "available", "attachments": [],
                                      "os-vol-tenant-attr:tenant_id": Keystone.PROJECTS["stranger"]}})

    cinder, service = cloud_of(lab, answer, "DEFAULT.enabled_storage_interfaces=cinder,noop",
                               "conductor.sync_power_state_interval=1")
    with service:
        node = service.available(token=T("OA"), name="volumes", storage_interface="cinder",
                                 properties={"capabilities": "fibre_channel_boot:true"})
        for kind in ("wwpn", "wwnn"):
            made = service.ask("POST", "/v1/volume/connectors", {"node_uuid": node, "type": kind, "connector_id": "50:01"},
                               token=T("OA"))
            expect(made.status == 201, f"no connector can be made: {made}")
        service.provision(node, "active", ["active"], T("OA"))
        service.ask("PUT", f"/v1/nodes/{node}/states/power", {"target": "power on"}, token=T("OA"))
        until = time.monotonic() + 20
        while (found := service.show(node, T("SA")))["power_state"] != "power on" or found["reservation"]:
            expect(time.monotonic() < until, f"the machine is not switched on: {found['last_error']}")
            time.sleep(0.1)
        made = service.ask("POST", "/v1/volume/targets", {"node_uuid": node, "volume_type": "fibre_channel", "boot_index": 1,
                                                          "volume_id": volume}, token=T("OA"))
        expect(made.status == 201, f"no target can be made: {made}")
        changed = service.patch(node, ("add", "/driver_info/fake_power", "power off"), token=T("SA"))
        expect(changed.status == 200, f"{changed}")
        until = time.monotonic() + 30
        while not done and "belongs neither" not in (service.show(node, T("SA"))["last_error"] or ""):
            expect(time.monotonic() < until, f"the machine is not switched on: {service.show(node, T('SA'))['last_error']}")
            time.sleep(0.2)
        expect(not done, f"Cinder was told to {done[:2]}")
    cinder.close()


def belongings_by_the_hundred(lab):
    """N22: ports and volume targets of one node that take all memory whenever something is done to it"""
    with lab.service("DEFAULT.enabled_storage_interfaces=external,noop") as service:
        node = service.node(name="hoarder", storage_interface="external")
        service.provision(node, "manage", ["manageable"])
        large = {"x": "y" * 900_000}
        for path, what, body in (
                ("/v1/volume/targets", "volume targets",
                 lambda n: {"volume_type": "iscsi", "boot_index": n, "volume_id": f"v{n}", "properties": large}),
                ("/v1/ports", "ports", lambda n: {"address": f"52:54:00:00:{n >> 8:02x}:{n & 255:02x}", "extra": large})):
            for n in range(200):
                made = service.ask("POST", path, {"node_uuid": node, **body(n)})
                if made.status != 201:
                    break
            expect(made.status == 400 and what in made.text, f"{n + 1} {what} of 1 MB each: {made.status}")
            expect(n >= 2, f"{n} {what}: {made}")
        rise, answer = service.rises(lambda: service.ask("GET", f"/v1/nodes/{node}/validate"))
        expect(rise < 100 * MIB, f"what the node has takes {rise / MIB:.0f} MiB: {answer.status}")


CHECKS = [
    ("N1", forms), ("N2", patches), ("N3", addresses_of_one_machine), ("N4", bodies_that_stop), ("N5", names_in_shells),
    ("N6", names_of_users), ("N7", proxies_of_agents), ("N8", packets_of_anybody), ("N9", handshakes), ("N10", peers_that_attack),
    ("N11", clocks), ("N12", templates), ("N13", connections_for_boot_files), ("N14", lists_of_large_nodes),
    ("N15", nodes_that_cannot_be_read), ("N16", nodes_of_any_size), ("N17", keys_like_others),
    ("N18", settings_by_the_thousand), ("N19", images_of_glance), ("N20", images_without_end), ("N21", volumes_of_others),
    ("N22", belongings_by_the_hundred),
]
