"""Attacks that never worked, so that they stay that way."""
import base64
import json
import os
import re
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time

from findings import on_postgres
from service import (Failed, Keystone, MIB, Peer, Service, Skipped, expect, free_port, raw, request)

T = Keystone.token
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


def paths_without_credentials(lab):
    """H1: spellings of paths that pass the door"""
    node = lab.cloud.node(token=T("SA"), name="behind-the-door", extra={"mark": "INSIDE"})
    lab.basic.node(name="behind-the-door", extra={"mark": "INSIDE"})
    paths = [
        "/v1/nodes", "/v1/nodes/", "/v1//nodes", "//v1/nodes", "/v1/nodes.json", "/v1/nodes.xml", "/nodes", "/v1/./nodes",
        "/v1/lookup/../nodes", "/v1/heartbeat/../nodes", "/v1/heartbeat/..%2fnodes", "/v1/%6eodes", "/V1/nodes",
        "/v1/lookup/%2e%2e/nodes", "/v1/lookup;/../nodes", "/v1/nodes;/lookup", "/v1/lookup%00/../nodes",
        "/v1/nodes%00", "/v1/nodes?/v1/lookup", "/v1/nodes#/v1/lookup", "/v1\\nodes", "/v1/continue_inspection/../nodes",
        "/corten/v1/agent/progress/../../events", "/corten/v1/agent/../events", "/corten/v1/events", "/corten/v1/webhooks",
        "/corten/v1/openapi/../events", "/corten/v1/metrics", "/corten/v1/status", "/v1/heartbeat/nodes/states",
        "/v1/heartbeat/a/b", "/v1/corten/v1/events", "/v1/nodes/states?node_ident=behind-the-door",
        "/v1/nodes/states/behind-the-door", "/nodes/states/behind-the-door", "/v1/nodes/heartbeat/behind-the-door/states",
        "/v1/lookup/nodes/behind-the-door", "/healthcheck/../v1/nodes", "/healthcheck/v1/nodes",
        "http://127.0.0.1/v1/nodes", f"/v1/nodes/{node}", f"/v1/nodes/states/console/{node}",
    ]
    for service in (lab.cloud, lab.basic):
        for path in paths:
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "OPTIONS"):
                head = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n"
                        "X-HTTP-Method-Override: GET\r\nX-OpenStack-Ironic-API-Version: 1.95\r\n\r\n")
                answer = raw(service.port, head.encode())
                status = int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0
                inside = b"INSIDE" in answer or b"behind-the-door" in answer.split(b"\r\n\r\n", 1)[-1]
                allowed = {400, 401, 403, 404, 405, 406, 414, 501, 0}
                if method in ("OPTIONS", "HEAD"):
                    allowed |= {200}
                expect(status in allowed and not inside,
                       f"{service.name}: {method} {path} without credentials: {answer[:200]}")
        expect(raw(service.port, b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n", 2)[:12] != b"HTTP/1.1 200",
               "CONNECT is served")


def forged_identities(lab):
    """H2: headers and tokens that claim to be somebody"""
    cloud = lab.cloud
    forged = {"X-Roles": "admin", "X-Identity-Status": "Confirmed", "X-User-Id": "1", "X-Project-Id": "p",
              "X-System-Scope": "all", "OpenStack-System-Scope": "all", "X-Is-Admin-Project": "True",
              "X-Service-Roles": "service", "X-Service-Identity-Status": "Confirmed"}
    expect(cloud.anonymous("GET", "/v1/nodes", headers=forged).status == 401, "X-Roles is believed")
    expect(cloud.ask("POST", "/v1/nodes", {"driver": "fake-hardware"}, token=T("XR"), headers=forged).status in (403, 404),
           "X-Roles adds to a token")
    for token in ("", "x", "SA", "token-", "token-SA ", " token-S", "../token-SA", "token-SA%0a", "A" * 20000, "token-sa", "None"):
        answer = cloud.anonymous("GET", "/v1/nodes", headers={"X-Auth-Token": token})
        expect(answer.status in (401, 400, 431) or token.strip() == T("SA"), f"token {token[:20]!r}: {answer}")
    answer = cloud.ask("GET", "/v1/nodes", token=T("OR"), headers={"X-Service-Token": "forged"})
    expect(answer.status == 401, f"a service token that nobody knows: {answer}")
    for version in ("1.999", "0.1", "-1.1", "1", "x", "1.1.1", "99999999999999999999.1", "1.-1", "latest\t", "１.95"):
        answer = cloud.anonymous("GET", "/v1/nodes", headers={"X-OpenStack-Ironic-API-Version": version}
                                 if version.isascii() else {})
        expect(answer.status in (400, 401, 406), f"version {version}: {answer}")


def smuggled_requests(lab):
    """H3: one request that a proxy takes for two"""
    hidden = "GET /v1/nodes?smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    cases = {
        "CL+TE": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "two CL": "Content-Length: 0\r\nContent-Length: 5\r\n\r\n",
        "CL with a sign": "Content-Length: +0\r\n\r\n",
        "CL list": "Content-Length: 0, 5\r\n\r\n",
        "CL hex": "Content-Length: 0x0\r\n\r\n",
        "TE identity": "Transfer-Encoding: identity\r\n\r\n",
        "TE twice": "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "TE spelt": "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "TE with a tab": "Transfer-Encoding:\tchunked\x0b\r\n\r\n0\r\n\r\n",
        "space before the colon": "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "folded": "X-A: b\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "NUL": "X-A: b\0c\r\n\r\n",
        "bare CR": "X-A: b\rContent-Length: 5\r\n\r\n",
        "chunk overflow": "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
        "chunk negative": "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
    }
    for name, rest in cases.items():
        head = "POST /v1/heartbeat/x HTTP/1.1\r\nHost: localhost\r\n"
        answer = raw(lab.basic.port, (head + rest + hidden).encode("latin-1"), timeout=2)
        answers = re.findall(rb"HTTP/1\.1 (\d+)", answer)
        if name in ("CL+TE",):
            expect(len(answers) <= 1 or answers[1] in (b"401", b"400"), f"{name}: {answers}")
        else:
            expect(len(answers) <= 2 and (not answers or answers[0][:1] == b"4"), f"{name}: {answers}")
    expect(not raw(lab.basic.port, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 2).startswith(b"\0\0"), "h2c is spoken")
    long = raw(lab.basic.port, b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 300_000 + b"\r\n\r\n", 2)
    expect(b" 200" not in long, f"long heads are taken: {long[:100]}")
    many = "".join(f"X-{n}: y\r\n" for n in range(200))
    many = raw(lab.basic.port, f"GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n".encode(), 2)
    expect(b" 431" in many, f"many headers are taken: {many[:100]}")
    deep = b"[" * 100 + b"]" * 100
    expect(lab.basic.ask("POST", "/v1/nodes", deep).status == 400, "deep JSON is taken")
    expect(lab.basic.is_alive(), "the service is gone")


NODE_PATHS = ["", "/states", "/ports", "/portgroups", "/volume", "/volume/connectors", "/volume/targets", "/traits",
              "/bios", "/firmware", "/history", "/inventory", "/vifs", "/allocation", "/children", "/validate",
              "/management/boot_device", "/management/boot_device/supported", "/management/indicators",
              "/states/console", "/vendor_passthru/methods", "/vmedia"]
EXTRA_PATHS = ["timeline", "recorder", "sensors", "boot-log", "console"]


def other_projects(lab):
    """H4: nodes of other projects, as stranger, lessee and owner"""
    cloud = lab.cloud
    node = cloud.node(token=T("SA"), name="foreign-node", owner=Keystone.PROJECTS["owner"], mac="52:54:00:00:f4:01",
                      driver_info={"ipmi_password": "FOREIGN-PW"}, extra={"mark": "FOREIGN"}, lessee=Keystone.PROJECTS["lessee"])
    spellings = [f"/v1/nodes/{node}", "/v1/nodes/foreign-node", f"/nodes/{node}"]
    for token in ("XA", "XM", "XR", "NO"):
        for start in spellings:
            for path in NODE_PATHS:
                answer = cloud.ask("GET", start + path, token=T(token), version="1.115")
                expect(answer.status in (403, 404, 400) and "FOREIGN" not in answer.text, f"{token} GET {start}{path}: {answer}")
        for controller in ("states", "management/boot_device", "maintenance", "vendor_passthru/methods", "states/console"):
            for path in (f"/v1/nodes/{controller}/{node}", f"/v1/nodes/{controller}?node_ident={node}"):
                for method in ("GET", "PUT", "DELETE"):
                    answer = cloud.ask(method, path, {"target": "power on"} if method == "PUT" else None, token=T(token))
                    expect(answer.status in (400, 403, 404, 405), f"{token} {method} {path}: {answer}")
        for path in EXTRA_PATHS:
            answer = cloud.ask("GET", f"/corten/v1/nodes/{node}/{path}", token=T(token))
            expect(answer.status in (403, 404, 400, 426), f"{token} GET /corten/v1/nodes/…/{path}: {answer}")
        for path in ("/v1/nodes", "/v1/nodes/detail", "/v1/ports", "/v1/ports?address=52:54:00:00:f4:01", f"/v1/ports?node={node}",
                     f"/v1/nodes?owner={Keystone.PROJECTS['owner']}", f"/v1/nodes?lessee={Keystone.PROJECTS['lessee']}",
                     f"/v1/nodes?marker={node}", "/v1/nodes?fields=extra,driver_info", "/corten/v1/events?after=0&limit=1000",
                     f"/corten/v1/events?after=0&node={node}"):
            answer = cloud.ask("GET", path, token=T(token), version="1.115")
            shows = answer.status == 200 and node in answer.text.replace(path, "")
            expect("FOREIGN" not in answer.text and not shows, f"{token} GET {path}: {answer}")
    for token in ("LM", "LR", "OR"):
        for change in ({"op": "add", "path": "/owner", "value": Keystone.PROJECTS["lessee"]},
                       {"op": "add", "path": "/driver_info/ipmi_address", "value": "192.0.2.1"}):
            answer = cloud.ask("PATCH", f"/v1/nodes/{node}", [change], token=T(token))
            expect(answer.status in (403, 404), f"{token} {change['path']}: {answer}")
    for token in ("LA", "LM", "LR", "OA", "OM", "OR"):
        for version in ("1.1", "1.31", "1.50", "1.51", "1.65", "1.80", "1.87", "1.95", "1.115"):
            for path in (f"/v1/nodes/{node}", "/v1/nodes/detail", "/v1/nodes?fields=driver_info,instance_info" if version > "1.2" else "/v1/nodes"):
                answer = cloud.ask("GET", path, token=T(token), version=version)
                expect("FOREIGN-PW" not in answer.text, f"{token} at {version} {path}: the password is shown")
    for token in ("LM", "LR", "OR", "XA"):
        answer = cloud.request("GET", f"/corten/v1/nodes/{node}/console", headers={**UPGRADE, "X-Auth-Token": T(token)})
        expect(answer.status in (403, 404), f"{token} opens the console: {answer.status}")


def odd_queries(lab):
    """H5: queries that reach the database"""
    odd = ["'", "' OR 1=1 --", "%27", "\\", "%00", "1;DROP TABLE nodes", "${7*7}", "../../etc/passwd", "9" * 400, "-1", "NaN", "[]",
           "%F0%9F%92%A9", "%ff", "a" * 5000, "true'", "node_ident", "*", "%25", "_"]
    keys = ["limit", "marker", "sort_key", "sort_dir", "fields", "driver", "owner", "lessee", "instance_uuid", "associated",
            "provision_state", "resource_class", "conductor", "chassis_uuid", "description_contains", "shard", "project", "node_ident"]
    for key in keys:
        for value in odd:
            answer = lab.open.ask("GET", f"/v1/nodes?{key}={value.replace(' ', '%20')}", version="1.115")
            expect(answer.status < 500 and answer.status != 0, f"{key}={value[:40]}: {answer}")


def consoles_of_pages(lab):
    """H6: a page opens the console of a machine"""
    node = lab.open.node()
    for origin in ("https://evil.example", "null", f"http://127.0.0.1:{free_port()}", "http://127.0.0.1.evil.example"):
        answer = lab.open.request("GET", f"/corten/v1/nodes/{node}/console", headers={**UPGRADE, "Origin": origin})
        expect(answer.status == 403, f"Origin {origin}: {answer}")
    answer = lab.open.ask("OPTIONS", "/v1/nodes", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "PUT"})
    expect("access-control-allow-origin" not in answer.headers, "CORS is on by default")


def files_by_images(lab):
    """H7: images and kernels from files of the host"""
    service = lab.open
    for n, path in enumerate(("/etc/passwd", "/proc/self/environ", f"{service.files}/../data/keys", f"{service.files}/../../etc/passwd",
                              f"{service.files}/link", f"/{service.files}/%2e%2e/data/keys")):
        if path.endswith("link"):
            os.symlink("/etc/passwd", path)
        node = service.available(deploy_interface="ramdisk", boot_interface="ipxe", mac=f"52:54:00:00:f7:{n:02x}")
        url = f"file://{path}"
        service.patch(node, ("add", "/instance_info", {"kernel": url, "ramdisk": url}))
        asked = service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "active"})
        if asked.status == 202:
            service.reaches(node, ["active", "deploy failed"])
        answer = request(service.http, "GET", f"/{node}/kernel")
        expect(answer.status == 404, f"{url} is published: {answer.text[:60]!r}")


def files_by_boot_servers(lab):
    """H8: paths that leave the folders of TFTP and HTTP"""
    service = lab.open
    paths = ["../data/keys", "../../etc/passwd", "/etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd",
             "..\\..\\etc\\passwd", "x/../../../etc/passwd", "\0/etc/passwd", "", ".", "..", "../http", "pxelinux.cfg", "pxelinux.cfg/", "a" * 5000,
             "../corten.db", "redfish", "redfish/", "agent_images", "agent_images/"]
    for path in paths:
        answer = raw(service.http, f"GET /{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode("latin-1"), 3)
        expect(b" 200 " not in answer[:15], f"HTTP /{path!r}: {answer[:120]}")
        with socket.socket(type=socket.SOCK_DGRAM) as s:
            s.settimeout(3)
            for kind in (b"\0\1", b"\0\2"):
                s.sendto(kind + path.encode() + b"\0octet\0", ("127.0.0.1", service.tftp))
                try:
                    answer = s.recv(2048)
                except socket.timeout:
                    continue
                expect(answer[:2] in (b"\0\5",), f"TFTP {path!r}: {answer[:60]}")
    with socket.socket(type=socket.SOCK_DGRAM) as s:
        for n in range(3000):
            s.sendto(os.urandom(n % 80), ("127.0.0.1", service.tftp))
    expect(request(service.http, "GET", "/boot.ipxe").status == 200, "the boot server is gone")
    expect("panicked" not in service.log(), "a thread panicked")


def services_of_a_cluster(lab):
    """H9: the port between processes takes nothing that is not sealed"""
    port = free_port()
    folder = lab.folder("cluster")
    secret = os.path.join(folder, "secret")
    with open(secret, "w") as out:
        out.write("s" * 64)
    os.chmod(secret, 0o600)
    options = (f"corten.cluster_secret_file={secret}", f"json_rpc.port={port}", "json_rpc.host_ip=127.0.0.1",
               f"corten.cluster_url=http://127.0.0.1:{port}")
    with on_postgres(lab, *options) as (service, _):
        node = service.node()
        call = {"jsonrpc": "2.0", "method": "change_node_power_state", "id": 1, "params": {"node_id": node, "new_state": "power on"}}
        for body in (b"", b"{}", json.dumps(call).encode(), os.urandom(500), b"\0" * MIB):
            for path in ("/", "/v1", "/rpc", "/corten/v1/call", "/v1/nodes", f"/v1/nodes/{node}"):
                for method in ("POST", "GET", "PUT"):
                    answer = request(port, method, path, body)
                    expect(answer.status >= 400 or answer.status == 0, f"{method} {path}: {answer}")
        expect(service.is_alive() and "panicked" not in service.log(), "the service is gone")


def process_that_dies(lab):
    """H10: kill -9 ten times loses nothing that was accepted"""
    with lab.service() as service:
        accepted = []
        for round in range(10):
            stop = threading.Event()

            def write():
                n = 0
                while not stop.is_set():
                    name = f"n-{round}-{n}"
                    answer = service.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": name}, timeout=5)
                    if answer.status == 201:
                        accepted.append(name)
                    n += 1

            writer = threading.Thread(target=write)
            writer.start()
            time.sleep(0.25)
            service.process.kill()
            service.process.wait()
            stop.set()
            writer.join()
            service.start()
        names, page = set(), "/v1/nodes?limit=1000&fields=name,uuid"
        while page:
            listed = service.ask("GET", page).json()
            names.update(node["name"] for node in listed["nodes"])
            page = "next" in listed and f"/v1/nodes?limit=1000&fields=name,uuid&marker={listed['nodes'][-1]['uuid']}"
        expect(accepted, "nothing was accepted")
        lost = [name for name in accepted if name not in names]
        expect(not lost, f"{len(lost)} of {len(accepted)} are lost: {lost[:3]}")


def broken_ground(lab):
    """H11: a database, a key ring or a configuration that is broken, each refused in one clear line"""
    with lab.service() as service:
        second = subprocess.Popen(service.command("serve"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            said = second.communicate(timeout=20)[1]
        except subprocess.TimeoutExpired:
            second.kill()
            raise Failed("a second service with the same data runs") from None
        expect(second.returncode != 0 and len(said.strip().splitlines()) <= 8 and "panicked" not in said, f"second: {said}")
        service.node(driver_info={"ipmi_password": "secret"})
        service.stop()

        def refused(what):
            try:
                done = service.run("serve", timeout=15)
            except subprocess.TimeoutExpired:
                raise Failed(f"{what}: the service starts") from None
            expect(done.returncode not in (0, 101) and "panicked" not in done.stderr and "error" in done.stderr.lower(),
                   f"{what}: rc {done.returncode}: {done.stderr[-300:]}")

        keys, database = os.path.join(service.data, "keys"), os.path.join(service.data, "corten.db")
        ring = open(keys, "rb").read()
        open(keys, "wb").write(b"garbage\0\n")
        refused("a ring of garbage")
        os.remove(keys)
        refused("no ring")
        open(keys, "wb").write(ring)
        os.chmod(keys, 0o600)
        content = open(database, "rb").read()
        for name in os.listdir(service.data):
            if name.startswith("corten.db-"):
                os.remove(os.path.join(service.data, name))
        open(database, "wb").write(b"no database at all" * 500)
        refused("a broken database")
        os.remove(database)
        foreign = sqlite3.connect(database)
        foreign.execute("CREATE TABLE alembic_version (version_num)")
        foreign.execute("CREATE TABLE nodes (id, uuid)")
        foreign.commit()
        foreign.close()
        refused("somebody else's database")
        open(database, "wb").write(content)
        service.options.append("api.host_ip=0.0.0.0")
        refused("noauth beyond loopback")
        service.options[-1] = "api.port=999999"
        refused("a configuration that is wrong")


def modes_of_files(lab):
    """H12: files that other users of the machine can read"""
    service = lab.open
    service.node(driver_info={"ipmi_password": "x"})
    expect(os.stat(service.data).st_mode & 0o77 == 0, "the data folder is open to others")
    for name in ("corten.db", "keys"):
        mode = os.stat(os.path.join(service.data, name)).st_mode & 0o777
        expect(mode & 0o77 == 0, f"{name} has mode {mode:o}")


def secrets_in_logs(lab):
    """H13: secrets in the log at its most talkative"""
    os.environ["CORTEN_LOG"] = "trace"
    try:
        service = lab.service()
    finally:
        del os.environ["CORTEN_LOG"]
    with service:
        thief = Peer(lambda handler: handler.give(401, {"error": handler.content.decode("utf-8", "replace")}))
        node = service.node(driver="redfish", name="talkative", driver_info={
            "redfish_address": thief.url, "redfish_username": "root", "redfish_password": "L0GGED-PW",
            "redfish_system_id": "/redfish/v1/Systems/1"}, instance_info={"configdrive": "L0GGED-drive"})
        service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "manage"})
        until = time.monotonic() + 15
        while len(thief.seen) < 2 and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(0.5)
        service.ask("PATCH", f"/v1/nodes/{node}", [{"op": "add", "path": "/driver_info/ipmi_password", "value": "L0GGED-PW"}])
        service.ask("GET", "/v1/nodes", headers={"X-Auth-Token": "L0GGED-token", "Authorization": "Basic TDBHR0VEOng="})
        error = service.show(node)["last_error"] or ""
        expect("L0GGED" not in error, f"a BMC that repeats the password has it shown: {error}")
        thief.close()
        found = [line for line in service.log().splitlines() if "L0GGED" in line or "TDBHR0VEOng" in line]
        expect(not found, f"in the log: {found[:2]}")
        expect("\x1b" not in service.log(), "escapes in the log")


def lines_in_logs(lab):
    """H14: lines of the log that clients write"""
    service = lab.open
    mark = "FORGED-LINE"
    for path in (f"/v1/nodes/a%0a{mark}", f"/v1/%0d%0a{mark}", f"/v1/nodes?x=%0a{mark}"):
        service.ask("DELETE", path, headers={"X-Forwarded-For": f"1.2.3.4 {mark}", "User-Agent": mark})
    service.ask("POST", "/v1/nodes", {"driver": f"x\n{mark}"})
    service.anonymous("POST", "/v1/heartbeat/x", {"callback_url": f"http://x/\n{mark}", "agent_version": f"1\n{mark}",
                                                  "agent_token": "x"})
    # Not only CR and LF end lines, and some characters turn the rest of a line around.
    node = service.node()
    for end in ("\u2028", "\u2029", "\x85", "\x0b", "\x1c"):
        service.ask("PUT", f"/v1/nodes/{node}/maintenance", {"reason": f"r{end}{mark}\u202e"})
    lines = [line for line in service.log().splitlines() if line.startswith(mark) or "\u202e" in line]
    expect(not lines, f"{lines[:2]}")


CHECKS = [
    ("H1", paths_without_credentials), ("H2", forged_identities), ("H3", smuggled_requests), ("H4", other_projects),
    ("H5", odd_queries), ("H6", consoles_of_pages), ("H7", files_by_images), ("H8", files_by_boot_servers),
    ("H9", services_of_a_cluster), ("H10", process_that_dies), ("H11", broken_ground), ("H12", modes_of_files),
    ("H13", secrets_in_logs), ("H14", lines_in_logs),
]
