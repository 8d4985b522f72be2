"""Attacks on local users, sessions of the page, batches, drivers from outside, screens and imports."""
import base64
import hashlib
import hmac
import http.client
import json
import os
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time
import uuid

from service import Failed, JSON, Keystone, MIB, Peer, Service, Skipped, expect, free_port, raw, request

T = Keystone.token


def basic(name, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def local(lab, *options, **more):
    """A service with users of its own: ada is its administrator."""
    service = lab.service(*options, auth="local", **more)
    made = subprocess.run(service.command("user", "add", "ada", "--admin"), input="right\n", capture_output=True, text=True,
                          timeout=60)
    if made.returncode:
        raise RuntimeError(f"no user can be made: {made.stderr}")
    service.headers = basic("ada", "right")
    return service


def done(answer, *statuses):
    if answer.status not in (statuses or (200, 201, 204)):
        raise RuntimeError(f"not done: {answer}")
    return answer


def user(service, name, role, project="P1", password="theirs"):
    done(service.ask("POST", "/corten/v1/users", {"name": name, "password": password}))
    done(service.ask("PUT", "/corten/v1/roles", {"user": name, "role": role, "project": project}))
    return basic(name, password)


def guesses(lab):
    """N23: passwords of local users guessed from one address, under any name that a proxy could give it"""
    with local(lab) as service:
        user(service, "bob", "reader")

        def guess(name, password, how, source="127.0.0.1"):
            if how == "session":
                key = base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()
                return service.request("POST", "/corten/v1/session", {"username": name, "password": password},
                                       {**JSON, "X-Corten-Key": key}, source=source)
            headers = {**basic(name, password), **how}
            return service.request("GET", "/v1/nodes", headers=headers, source=source)

        begun, judged = time.monotonic(), 0
        for n in range(60):
            how = ("session", {}, {"X-Forwarded-For": f"10.0.0.{n}"}, {"Forwarded": f"for=10.0.0.{n}"}, {"X-Real-IP": f"10.1.0.{n}"})[n % 5]
            answer = guess("ada", f"wrong-{n}", how)
            judged += answer.status == 401
            expect(answer.status in (401, 429), f"a guess: {answer}")
        # Five at once, then one every ten seconds.
        most = 6 + (time.monotonic() - begun) / 10
        expect(judged <= most, f"{judged} of 60 guesses were judged")
        answer = guess("ada", "right", {})
        expect(answer.status == 429, f"the right password is told apart: {answer}")
        expect(guess("ada", "right", {}, "127.0.0.9").status == 200, "guesses from elsewhere shut the user out")
        # All names of one address together.
        begun, judged = time.monotonic(), 0
        for n in range(120):
            judged += guess(f"name-{n}", "x", {}, "127.0.0.8").status == 401
        most = 21 + (time.monotonic() - begun) / 3
        expect(judged <= most, f"{judged} names were tried from one address")
        answers = {name: guess(name, "x", {}, source).text for name, source in (("bob", "127.0.0.5"), ("nobody", "127.0.0.6"))}
        expect(answers["bob"] == answers["nobody"], f"a name that exists is told apart: {answers}")


def tokens_of_others(lab):
    """N24: tokens of other users: listed, revoked, made, and more than their owner has"""
    with local(lab) as service:
        bob, eve = user(service, "bob", "member"), user(service, "eve", "admin", "P2")
        mine = done(service.ask("POST", "/corten/v1/tokens", {"name": "ci"})).json()
        theirs = done(service.ask("POST", "/corten/v1/tokens", {"name": "b", "role": "reader", "project": "P1"}, headers=bob)).json()

        def attack(who, method, path, body=None):
            return service.ask(method, path, body, headers=who)

        for name, who in (("bob", bob), ("eve", eve), ("bob's token", bearer(theirs["token"]))):
            answer = attack(who, "DELETE", f"/corten/v1/tokens/{mine['uuid']}")
            expect(answer.status in (403, 404), f"{name} revokes a token of ada: {answer}")
            for body in ({"name": "x", "user": "ada"}, {"name": "x", "system": True}, {"name": "x", "role": "admin", "project": "P1"}):
                answer = attack(who, "POST", "/corten/v1/tokens", body)
                if answer.status == 201 and body.get("user"):
                    raise Failed(f"{name} has a token of ada: {answer}")
                if answer.status == 201:
                    # A token may be asked for what its owner has not; it must be worth nothing there.
                    spoken = attack(bearer(answer.json()["token"]), "GET", "/corten/v1/users")
                    expect(spoken.status in (401, 403), f"a token of {name} with {body}: {spoken}")
            listed = attack(who, "GET", "/corten/v1/tokens")
            expect(mine["uuid"] not in listed.text, f"{name} reads tokens of ada: {listed}")
            for method, path, body in (("PUT", "/corten/v1/users/ada/password", {"password": "taken"}),
                                       ("PATCH", "/corten/v1/users/ada", {"enabled": False}), ("DELETE", "/corten/v1/users/ada", None),
                                       ("PUT", "/corten/v1/roles", {"user": "bob", "role": "admin", "system": True}),
                                       ("POST", "/corten/v1/users", {"name": "mallory", "password": "secret"}),
                                       ("GET", "/corten/v1/account-changes", None)):
                answer = attack(who, method, path, body)
                expect(answer.status in (401, 403, 404), f"{name}: {method} {path}: {answer}")
        reader = bearer(theirs["token"])
        expect(attack(reader, "GET", "/v1/nodes").status == 200, "the token is worth nothing")
        for method, path, body in (("POST", "/corten/v1/tokens", {"name": "again"}), ("DELETE", f"/corten/v1/tokens/{theirs['uuid']}", None),
                                   ("PUT", "/corten/v1/users/bob/password", {"password": "taken"}),
                                   ("POST", "/v1/nodes", {"driver": "fake-hardware"})):
            answer = attack(reader, method, path, body)
            expect(answer.status in (401, 403, 404), f"a token of a reader: {method} {path}: {answer}")
        expect(mine["token"] not in service.log() and theirs["token"] not in service.log(), "a token is in the log")
        # The owner loses the token in the moment in which the right goes.
        done(service.ask("PATCH", "/corten/v1/users/bob", {"enabled": False}))
        expect(attack(reader, "GET", "/v1/nodes").status == 401, "a token of a user who is disabled")
        done(service.ask("DELETE", f"/corten/v1/tokens/{mine['uuid']}"))
        expect(attack(bearer(mine["token"]), "GET", "/v1/nodes").status == 401, "a token that was revoked")


def cookies_of_the_page(lab):
    """N25: the cookie of the web page in requests that other pages cause"""
    with local(lab) as service:
        user(service, "bob", "reader")
        key, other = (base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode() for _ in range(2))

        def sign_in(name, password, key, **more):
            return service.request("POST", "/corten/v1/session", {"username": name, "password": password},
                                   {**JSON, "X-Corten-Key": key, **more.pop("headers", {})}, **more)

        answer = done(sign_in("ada", "right", key))
        cookie, *attributes = [part.strip() for part in answer.headers["set-cookie"].split(";")]
        attributes = {part.lower() for part in attributes}
        expect({"httponly", "samesite=strict", "path=/"} <= attributes, f"the cookie has {attributes}")
        node = service.node()
        own = f"http://127.0.0.1:{service.port}"

        def ask(headers, method="GET", path="/v1/nodes", body=None):
            return service.request(method, path, body, {**JSON, "X-OpenStack-Ironic-API-Version": "1.95", **headers})

        session = {"Cookie": cookie, "X-Corten-Key": key}
        expect(ask({**session, "Origin": own, "Sec-Fetch-Site": "same-origin"}).status == 200, "the page itself is refused")
        attempts = {
            "the cookie alone": {"Cookie": cookie}, "the key alone": {"X-Corten-Key": key},
            "the key of another": {"Cookie": cookie, "X-Corten-Key": other}, "an empty key": {"Cookie": cookie, "X-Corten-Key": ""},
            "a cookie that was changed": {"Cookie": cookie[:-2] + ("AA" if cookie[-2:] != "AA" else "BB"), "X-Corten-Key": key},
            "a name besides": {"Cookie": f"x{cookie}", "X-Corten-Key": key},
        }
        foreign = {
            "a page of another site": {"Origin": "https://evil.example"}, "a page of another port": {"Origin": "http://127.0.0.1:1"},
            "a page without origin": {"Origin": "null"}, "a cross-site request": {"Sec-Fetch-Site": "cross-site"},
            "a page of a sibling": {"Sec-Fetch-Site": "same-site"},
        }
        for what, headers in attempts.items():
            for method, path, body in (("GET", "/v1/nodes", None), ("PUT", f"/v1/nodes/{node}/maintenance", {}), ("GET", "/corten/v1/events", None)):
                answer = ask(headers, method, path, body)
                expect(answer.status == 401, f"{what}: {method} {path}: {answer}")
        for what, headers in foreign.items():
            for method, path, body in (("POST", "/v1/nodes", {"driver": "fake-hardware"}), ("PUT", f"/v1/nodes/{node}/maintenance", {}),
                                       ("POST", "/corten/v1/batches", {"action": "power", "arguments": {"target": "power off"}, "nodes": [node]}),
                                       ("DELETE", "/corten/v1/session", None), ("GET", "/corten/v1/me", None)):
                answer = ask({**session, **headers}, method, path, body)
                expect(answer.status == 403, f"{what}: {method} {path}: {answer}")
            answer = sign_in("bob", "theirs", other, headers=headers)
            expect(answer.status == 403, f"{what} signs its visitor in: {answer}")
        # A form can be sent without a question before; so can a text.
        for kind in ("application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"):
            answer = ask({"Cookie": cookie, "Content-Type": kind}, "POST", "/v1/nodes", b'{"driver": "fake-hardware"}')
            expect(answer.status in (401, 403), f"a form with the cookie: {answer}")
        # Sockets carry the cookie too.
        def socket_of(*lines):
            handshake = "\r\n".join([f"GET /corten/v1/nodes/{node}/console HTTP/1.1", f"Host: 127.0.0.1:{service.port}",
                                     "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                                     "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", f"Cookie: {cookie}", *lines, "", ""])
            return raw(service.port, handshake.encode(), timeout=3).split(b" ")[1:2]

        for lines in ((), ("Origin: https://evil.example",), (f"Sec-WebSocket-Protocol: corten.key.{other}",),
                      ("Origin: https://evil.example", f"Sec-WebSocket-Protocol: corten.key.{key}")):
            expect(socket_of(*lines) in ([b"401"], [b"403"]), f"a socket with {lines}: {socket_of(*lines)}")
        # A password that is changed takes the sessions along.
        done(service.ask("PUT", "/corten/v1/users/ada/password", {"password": "another"}))
        expect(ask(session).status == 401, "the session outlives the password")


def headers_of_the_page(lab):
    """N26: what the page tells browsers, whatever it is asked and under which name"""
    service = lab.open
    bad = ["a; script-src *", "a,b", "'unsafe-inline'", "x" * 5000, "a\tb"]
    for path in ("/ui/", "/ui", "/ui/vnc", "/ui/nothing", "/ui/assets/nothing.js", "/ui/%2e%2e/%2e%2e/etc/passwd", "/ui/..%2f..%2fetc%2fpasswd",
                 "/ui//etc/passwd", "/ui/\\..\\..", "/ui/index.html%00.png", "/"):
        answer = service.request("GET", path)
        expect("root:" not in answer.text, f"{path} is a file of this machine")
        expect("<script>" not in answer.text, f"{path} has a script in it")
        if answer.status == 200 and (path != "/" or "html" in answer.headers.get("content-type", "")):
            policy = answer.headers.get("content-security-policy", "")
            for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"):
                expect(part in policy, f"{path}: {policy!r}")
            for name, value in (("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"), ("referrer-policy", "no-referrer")):
                expect(answer.headers.get(name) == value, f"{path}: {name} is {answer.headers.get(name)}")
    for host in bad:
        got = raw(service.port, f"GET /ui/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        head = got.partition(b"\r\n\r\n")[0].lower()
        for taken in (b"script-src *", b"unsafe-inline", host.lower().encode()):
            expect(taken not in head, f"the policy has the name {host[:40]!r}: {head[:400]}")
    # What other pages may read of the service itself: nothing, however their visitor's browser asks.
    for mode in ("navigate", "no-cors", "cors", "websocket"):
        for path in ("/v1/nodes", "/corten/v1/nodes", "/corten/v1/me", "/corten/v1/events"):
            answer = service.request("GET", path, headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode})
            expect(answer.status == 403, f"{mode} of {path} from another site: {answer.status}")
        answer = service.request("GET", "/ui/", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Origin": "https://evil.example"})
        expect("access-control-allow-origin" not in answer.headers, f"another site may read the page: {answer.headers}")


def batches_of_foreign_nodes(lab):
    """N27: batches that name, find or tell of nodes of others"""
    service = lab.cloud
    node = service.node(token=T("OA"), name="batch-of-owner")
    own = service.node(token=T("XA"), name="batch-of-stranger")
    off = {"action": "maintenance", "arguments": {"target": "on", "reason": "attack"}}
    missing = str(uuid.uuid4())

    def make(token, dry="", **which):
        return service.ask("POST", f"/corten/v1/batches{dry}", {**off, **which}, token=T(token))

    def same(text):
        return text.replace(node, "NODE").replace(missing, "NODE").replace("batch-of-owner", "NODE").replace("no-such-node", "NODE")

    for token in ("XA", "XM", "XR", "NO"):
        for dry in ("", "?dry_run=true"):
            for there, not_there in ((node, missing), ("batch-of-owner", "no-such-node")):
                seen, unseen = make(token, dry, nodes=[there]), make(token, dry, nodes=[not_there])
                expect(seen.status == unseen.status and same(seen.text) == same(unseen.text),
                       f"{token}{dry} tells whether {there} exists: {seen} {unseen}")
                expect(seen.status >= 400 or "refused" in seen.text or dry, f"{token} has a batch of {there}: {seen}")
            mixed = make(token, dry, nodes=[own, node])
            expect(mixed.status >= 400 or dry, f"{token} has a batch with a foreign node in it: {mixed}")
            found = make(token, dry, query="name:batch-of-owner")
            expect(found.status >= 400 or node not in found.text, f"{token} finds it by a query: {found}")
    made = make("OA", nodes=[node])
    expect(made.status == 201, f"the owner has no batch: {made}")
    batch = made.json()["uuid"]
    for token in ("XA", "XR", "LM"):
        for method, path in (("GET", ""), ("GET", "/nodes"), ("POST", "/pause"), ("POST", "/resume"), ("POST", "/abort"), ("DELETE", "")):
            answer = service.ask(method, f"/corten/v1/batches/{batch}{path}", token=T(token))
            expect(answer.status in (403, 404), f"{token}: {method} {path or 'the batch'}: {answer}")
            unknown = service.ask(method, f"/corten/v1/batches/{missing}{path}", token=T(token))
            expect(answer.status == unknown.status, f"{token} is told that there is a batch: {answer} {unknown}")
        listed = service.ask("GET", "/corten/v1/batches", token=T(token))
        expect(batch not in listed.text, f"{token} sees it in the list: {listed}")
        events = service.ask("GET", "/corten/v1/events?kind=batch&limit=1000", token=T(token))
        expect(node not in events.text and batch not in events.text, f"{token} reads its events: {events}")
    # Steps and passwords that one may not use on a node one may not use in a batch either.
    expect(service.show(own, T("SA"))["maintenance"] is False, "a node was changed by a batch that was refused")
    # A user has so many batches and no more, and none that is larger than the service.
    for body in ({**off, "nodes": [own] * 200_000}, {**off, "nodes": [own], "waves": [1] * 100_000}, {**off, "query": "a" * 100_000},
                 {**off, "nodes": [own], "at_once": 10**9}, {**off, "query": "(" * 1900}):
        answer = service.ask("POST", "/corten/v1/batches?dry_run=true", body, token=T("XA"))
        # A body that is too large may be refused before all of it was sent.
        expect(answer.status in (0, 400, 413), f"{str(body)[:60]}: {answer}")
    expect(service.is_alive(), "the service does not answer")


PLAYBOOK = """#!/bin/sh
printf '%s\\n' "$@" >> {folder}/arguments
for word; do case $word in @*) cat "${{word#@}}" >> {folder}/variables;; esac; done
"""


def words_for_playbooks(lab):
    """N28: playbooks: options of SSH and templates of Ansible in what users and agents say"""
    folder = lab.folder("ansible")
    program = os.path.join(folder, "ansible-playbook")
    with open(program, "w") as out:
        out.write(PLAYBOOK.format(folder=folder))
    os.chmod(program, 0o755)
    options = ["DEFAULT.enabled_deploy_interfaces=ansible,direct,fake", f"ansible.ansible_playbook_script={program}",
               f"ansible.default_key_file={folder}/key"]

    def waiting(service, mac, **info):
        """A node that waits for its agent, and how the agent reports."""
        node = service.available(mac=mac, deploy_interface="ansible", boot_interface="fake", management_interface="noop",
                                 extra={"evil": "{{ lookup('pipe', 'touch pwned') }}", "line": "a\"\n- x: !!python/object"},
                                 driver_info={"fake_boots_ramdisks": True, **info})
        service.name_image(node)
        service.provision(node, "active", ["wait call-back"])
        token = service.anonymous("GET", f"/v1/lookup?addresses={mac}", version="1.62").json()["config"]["agent_token"]
        return node, lambda url: service.anonymous("POST", f"/v1/heartbeat/{node}", {
            "callback_url": url, "agent_version": "13.0", "agent_token": token})

    with lab.service(*options) as service:
        for key, value in (("ansible_username", "-oProxyCommand=touch pwned"), ("ansible_username", "{{ lookup('pipe', 'id') }}"),
                           ("ansible_username", "a b"), ("ansible_key_file", "/etc/shadow"), ("ansible_key_file", f"{folder}/../../etc/shadow"),
                           ("ansible_key_file", "-oProxyCommand=id"), ("ansible_playbooks_path", "/tmp"), ("ansible_playbooks_path", folder),
                           ("ansible_python_interpreter", "/bin/sh -c id"), ("ansible_python_interpreter", "{{ 1 }}")):
            node = service.node(deploy_interface="ansible", driver_info={key: value}, instance_info={"image_source": "http://x/i"})
            deploy = service.ask("GET", f"/v1/nodes/{node}/validate").json()["deploy"]
            expect(deploy["result"] is False and "ansible" in deploy["reason"], f"{key} = {value!r}: {deploy}")
        for field in ("extra", "instance_info"):
            for name in ("{{ lookup('pipe', 'touch pwned') }}", "a{% x %}", "__ansible_unsafe", "__ansible_vault"):
                info = {"image_source": "http://x/i"} if field == "extra" else {}
                node = service.node(deploy_interface="ansible", **{"instance_info": info, field: {**info, "deep": [{name: 1}]}})
                deploy = service.ask("GET", f"/v1/nodes/{node}/validate").json()["deploy"]
                expect(deploy["result"] is False, f"{name} in {field}: {deploy}")
        # What the agent says is where SSH goes.
        node, beat = waiting(service, "52:54:00:00:c8:01", ansible_deploy_playbook="../../../../../../tmp/--evil.yaml")
        for url in ("http://-oProxyCommand=id/", "http://10.99.0.77:9999", "http://127.0.0.1 -oProxyCommand=id/", "http://$(id)/", "file:///etc/passwd"):
            answer = beat(url)
            expect(answer.status == 400, f"the agent is at {url}: {answer}")
        expect(beat("http://127.0.0.1:9999").status == 202, "the agent itself is refused")
        service.reaches(node, ["active"])
        with open(os.path.join(folder, "arguments")) as file:
            playbook = file.readline().strip()
        expect(playbook.startswith(service.data) and ".." not in playbook, f"the playbook is {playbook}")
        with open(os.path.join(folder, "variables")) as file:
            variables = file.read()
        for text in ("{{ lookup('pipe'", 'a\\"\\u000a- x: !!python/object'):
            expect(f'!unsafe "{text}' in variables and variables.count(text) == variables.count(f'!unsafe "{text}'),
                   f"{text} is a template: {variables[:600]}")
    # SSH goes nowhere where other connections of the service may not lead.
    if not lab.outside:
        # The server of images is on loopback as well.
        return
    os.remove(os.path.join(folder, "arguments"))
    with lab.service(*options, "corten.networks_denied=127.0.0.0/8") as service:
        node, beat = waiting(service, "52:54:00:00:c8:02")
        beat("http://127.0.0.1:9999")
        error = service.reaches(node, ["deploy failed"])["last_error"]
        expect("agent's host" in error and "networks_denied" in error, f"SSH goes to an address that is denied: {error}")
        expect(not os.path.exists(os.path.join(folder, "arguments")), "a playbook was run")


DRIVER = """#!/usr/bin/env python3
import json, sys, time
def interface(kind, **more):
    return {"kind": kind, "name": "evil", "properties": [{"name": "evil_how", "description": "How"}], **more}
HELLO = {"protocol": 1, "name": "evil", "version": "1",
         "hardware_types": [{"name": "evil", "interfaces": {"power": ["evil"], "management": ["evil"]}}],
         "interfaces": [interface("power", targets=["power on", "power off"]), interface("management", boot_devices=["pxe", "disk"])]}
def say(value):
    sys.stdout.write(json.dumps(value) + "\\n"); sys.stdout.flush()
for line in sys.stdin:
    call = json.loads(line)
    if "id" not in call:
        continue
    how = ((call.get("params") or {}).get("node") or {}).get("driver_info", {}).get("evil_how")
    if call["method"] == "hello":
        say({"id": call["id"], "result": HELLO})
    elif how == "endless line":
        while True: sys.stdout.write("x" * 65536)
    elif how == "lines":
        while True: say({"id": 10**9, "result": {}})
    elif how == "errors":
        while True: sys.stderr.write("e" * 200 + "\\n")
    elif how == "deep":
        sys.stdout.write('{"id": %d, "result": %s}\\n' % (call["id"], "[" * 400000 + "]" * 400000)); sys.stdout.flush()
    elif how == "dense":
        sys.stdout.write('{"id": %d, "result": {"state": [%s0]}}\\n' % (call["id"], "[0]," * 250000)); sys.stdout.flush()
    elif how == "memory":
        hog = []
        while True: hog.append(bytearray(64 << 20))
    elif how == "silence":
        time.sleep(3600)
    else:
        say({"id": call["id"], "result": {"state": "power off"} if call["method"] == "power.get" else {}})
"""


def programs_that_flood(lab):
    """N29: driver programs that say too much, the wrong things, or nothing"""
    folder = lab.folder("drivers")
    os.chmod(folder, 0o755)
    programs = os.path.join(folder, "programs")
    os.mkdir(programs, 0o755)
    with open(os.path.join(programs, "evil"), "w") as out:
        out.write(DRIVER)
    os.chmod(os.path.join(programs, "evil"), 0o755)
    name = subprocess.run(["id", "-un", "65534"] if os.geteuid() == 0 else ["id", "-un"], capture_output=True, text=True).stdout.strip()
    with lab.service(f"corten.driver_path={programs}", f"corten.driver_user={name}", f"corten.driver_state_dir={folder}/state",
                     "corten.driver_timeout=3", "corten.driver_memory=256", "DEFAULT.enabled_hardware_types=fake-hardware,evil",
                     "DEFAULT.enabled_power_interfaces=fake,evil", "DEFAULT.enabled_management_interfaces=fake,noop,evil") as service:
        good = service.node(driver="evil", name="good")
        service.provision(good, "manage", ["manageable"])
        for how in ("endless line", "lines", "errors", "deep", "dense", "memory", "silence"):
            node = service.node(driver="evil", driver_info={"evil_how": how})

            def asked():
                service.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": "manage"})
                until = time.monotonic() + 60
                while (found := service.show(node))["provision_state"] == "verifying" or found["reservation"]:
                    expect(time.monotonic() < until, f"{how}: the node is still asked")
                    answer = service.ask("GET", "/v1/nodes", timeout=10)
                    expect(answer.status == 200, f"{how}: the API does not answer: {answer}")
                    time.sleep(0.1)
                return found

            rise, found = service.rises(asked)
            expect(rise < 100 * MIB, f"{how} takes {rise / MIB:.0f} MiB")
            expect(found["provision_state"] == "enroll" and found["last_error"], f"{how}: {found['provision_state']} {found['last_error']}")
        expect(len(service.log()) < 4 * MIB, f"the log has {len(service.log())} bytes")
        expect("panicked" not in service.log(), "a thread panicked")
        until = time.monotonic() + 90
        while service.ask("PUT", f"/v1/nodes/{good}/states/power", {"target": "power off"}).status != 202 or service.show(good)["last_error"]:
            expect(time.monotonic() < until, f"the program is not started again: {service.show(good)['last_error']}")
            time.sleep(1)


def encoded(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def keys_of_a_provider(lab):
    """N30: tokens of an OpenID provider: keys without end, asked for without end, and tokens that sign themselves"""
    huge = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": f"k{n}", "x": encoded(os.urandom(32))} for n in range(20_000)]}
    what = {"keys": {"keys": []}}

    def answer(handler):
        if handler.path == "/.well-known/openid-configuration":
            return handler.give(200, {"issuer": provider.url, "jwks_uri": f"{provider.url}/keys"}, [("Content-Type", "application/json")])
        if what["keys"] == "endless":
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            while True:
                handler.wfile.write(b"100000\r\n" + b" " * MIB + b"\r\n")
        handler.give(200, what["keys"], [("Content-Type", "application/json")])

    provider = Peer(answer)
    claims = {"iss": provider.url, "sub": "mallory", "aud": "corten", "exp": 4_000_000_000, "groups": ["dc-admins"]}
    options = [f"corten.oidc_issuer={provider.url}", "corten.oidc_audience=corten", "corten.oidc_roles_claim=groups",
               "corten.oidc_roles=dc-admins=>admin@system"]

    def token(header, secret=b""):
        text = f"{encoded(header)}.{encoded(claims)}"
        return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest() if secret else b'')}"

    for name, keys in (("no", {"keys": []}), ("very many", huge), ("endless", "endless"), ("deep", b'{"keys": ' + b"[" * 200_000)):
        what["keys"] = keys
        provider.seen.clear()
        with local(lab, *options) as service:
            def flood():
                statuses = set()
                for n in range(150):
                    made = token({"alg": "RS256", "kid": str(uuid.uuid4())})
                    statuses.add(service.ask("GET", "/v1/nodes", headers=bearer(made), timeout=20).status)
                return statuses

            rise, statuses = service.rises(flood)
            expect(statuses <= {401, 429, 503}, f"{name} keys: {statuses}")
            fetched = sum(path == "/keys" for _, path, _, _ in provider.seen)
            # At most every 30 seconds, and after failures every 5 at first.
            expect(fetched <= 8, f"{name} keys were fetched {fetched} times for 150 tokens")
            expect(rise < 60 * MIB, f"{name} keys take {rise / MIB:.0f} MiB")
            expect(service.ask("GET", "/v1/nodes").status == 200, f"{name} keys: local users are shut out")
            expect("panicked" not in service.log(), f"{name} keys: a thread panicked")
    public = base64.urlsafe_b64decode(encoded(os.urandom(32)) + "=")
    what["keys"] = {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": encoded(public)},
                             {"kty": "oct", "kid": "s", "k": encoded(b"secret" * 8), "alg": "HS256"}]}
    with local(lab, *options) as service:
        jwk = {"kty": "oct", "k": encoded(b"mine" * 8)}
        for made in (token({"alg": "none"}), token({"alg": "None", "kid": "k"}), token({"alg": "HS256", "kid": "k"}, public),
                     token({"alg": "HS256", "kid": "s"}, b"secret" * 8), token({"alg": "HS256", "jwk": jwk}, b"mine" * 8),
                     token({"alg": "EdDSA", "kid": "k", "jku": "http://127.0.0.1:1/keys"}), token({"alg": "EdDSA", "kid": "k", "crit": ["x"]}),
                     token({"alg": "RS256", "kid": "k"}, public), "a.b", "a.b.c", ".".join(["e30"] * 3), "e30." * 5000, "." * 10_000):
            answer = service.ask("GET", "/v1/nodes", headers=bearer(made))
            expect(answer.status in (400, 401, 431, 503), f"{made[:60]}: {answer}")
    provider.close()


class Screen:
    """A VNC server that says what it likes once it is let go."""

    def __init__(self, size, then):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.size, self.then, self.connections = size, then, 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                s = self.listener.accept()[0]
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.talk, args=(s,), daemon=True).start()

    def talk(self, s):
        try:
            s.settimeout(60)
            s.sendall(b"RFB 003.008\n")
            s.recv(12)
            s.sendall(b"\1\1")
            s.recv(1)
            s.sendall(bytes(4))
            s.recv(1)
            pixels = struct.pack("!BBBBHHHBBBxxx", 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
            s.sendall(struct.pack("!HH", *self.size) + pixels + struct.pack("!I", 4) + b"evil")
            until = time.monotonic() + 20
            while time.monotonic() < until:
                s.sendall(self.then)
        except OSError:
            pass
        finally:
            s.close()

    def close(self):
        self.listener.close()


def screens_that_flood(lab):
    """N31: screens: servers that say anything, viewers by the hundred, and tokens that are guessed"""
    picture = struct.pack("!BxH", 0, 1)
    servers = {
        "rectangles without end": ((800, 600), picture + struct.pack("!HHHHi", 0, 0, 64, 64, 0) + bytes(64 * 64 * 4)),
        "a rectangle outside": ((800, 600), picture + struct.pack("!HHHHi", 60_000, 60_000, 65_535, 65_535, 0)),
        "very many rectangles": ((800, 600), struct.pack("!BxH", 0, 65_535) + struct.pack("!HHHHi", 0, 0, 1, 1, 0) + bytes(4)),
        "a screen of 65,535 by 65,535": ((65_535, 65_535), picture),
        "a clipboard of 4 GB": ((800, 600), struct.pack("!BxxxI", 3, 0xffff_ffff) + bytes(65536)),
        "colours without end": ((800, 600), struct.pack("!BxHH", 1, 0, 65_535) + bytes(65_535 * 6)),
        "unknown messages": ((800, 600), b"\xfe" * 4096),
        "unknown encodings": ((800, 600), picture + struct.pack("!HHHHi", 0, 0, 8, 8, 0x7fff_fff0) + bytes(4096)),
    }
    with lab.service("vnc.enabled=true", "DEFAULT.enabled_console_interfaces=fake-graphical,no-console") as service:
        def look(node, token, source):
            # Each address asks so often and no more.
            s = socket.create_connection(("127.0.0.1", service.port), timeout=10, source_address=(f"127.0.0.{source}", 0))
            s.sendall((f"GET /corten/v1/nodes/{node}/screen?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nConnection: Upgrade\r\n"
                       "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").encode())
            try:
                return s, s.recv(12).split(b" ")[1:2]
            except OSError:
                return s, [b"0"]

        def switched(node):
            service.ask("PUT", f"/v1/nodes/{node}/states/console", {"enabled": True})
            until = time.monotonic() + 40
            while (found := service.show(node))["reservation"] or not (found["console_enabled"] or found["last_error"]):
                expect(time.monotonic() < until, "the console is still being switched on")
                time.sleep(0.1)
            if not found["console_enabled"]:
                return None
            url = service.ask("GET", f"/v1/nodes/{node}/states/console").json()["console_info"]["url"]
            return url.partition("token%3D")[2].partition("%26")[0].partition("&")[0]

        tokens = {}
        for at, (name, (size, then)) in enumerate(servers.items()):
            server = Screen(size, then)
            node = service.node(console_interface="fake-graphical", driver_info={"vnc_address": "127.0.0.1", "vnc_port": server.port})

            def watched():
                token = tokens[node] = switched(node)
                if token is None:
                    return
                # Viewers who never read, and one who leaves at once.
                viewers = [look(node, token, 10 + at)[0] for _ in range(6)]
                viewers.pop().close()
                for _ in range(10):
                    expect(service.ask("GET", "/v1/nodes", timeout=10).status == 200, f"{name}: the API does not answer")
                    time.sleep(0.2)
                for viewer in viewers:
                    viewer.close()

            rise, _ = service.rises(watched)
            expect(rise < 120 * MIB, f"{name} takes {rise / MIB:.0f} MiB")
            expect("panicked" not in service.log(), f"{name}: a thread panicked")
            service.ask("PUT", f"/v1/nodes/{node}/states/console", {"enabled": False})
            server.close()
        # The test picture of a machine, with one address asking for it again and again.
        node = service.node(console_interface="fake-graphical")
        token = switched(node)
        expect(token and len(token) == 43, f"the token is {token!r}")
        held = [look(node, token, 30 + n // 15) for n in range(45)]
        taken = sum(status == [b"101"] for _, status in held)
        expect(1 <= taken <= 8, f"{taken} people see one screen: {[status for _, status in held]}")
        statuses = []
        for n in range(60):
            s, status = look(node, base64.urlsafe_b64encode(hashlib.sha256(str(n).encode()).digest()).rstrip(b"=").decode(), 40)
            statuses += status
            s.close()
        expect(set(statuses) <= {b"403", b"429"} and statuses.count(b"429") >= 30, f"guesses of tokens: {statuses}")
        for s, _ in held:
            s.close()
        expect(token not in service.log(), "the token is in the log")


def hostile_imports(lab):
    """N32: files of an export, and databases of Ironic, that others have written"""
    folder = lab.folder("import")
    path = os.path.join(folder, "hostile.jsonl")
    with lab.service() as service:
        service.node(name="exported", extra={"a": 1})
        sound = os.path.join(folder, "sound.jsonl")
        exported = service.run("export", "--without-secrets", sound)
        if exported.returncode:
            raise RuntimeError(f"nothing is exported: {exported.stderr}")
    with open(sound, "rb") as file:
        head, *rest = file.read().splitlines(keepends=True)
    row = next(line for line in rest if b"exported" in line)
    nested = b"[" * 300_000 + b"]" * 300_000
    files = {
        "a line of 200 MB": head + b'{"x": "' + b"x" * (200 * MIB) + b'"}\n',
        "a line without end": b'{"' + b"x" * (64 * MIB), "values in values": head + row.replace(b'{"a":1}', nested).replace(b'{"a": 1}', nested),
        "dense values": head + b'{"x": [' + b"[0]," * (16 * MIB) + b"0]}\n", "the same again": head + row * 3, "no head": row,
        "a head of later times": json.dumps({**json.loads(head), "corten_export": 99}).encode(), "bytes": os.urandom(MIB), "nothing": b"", "zeros": bytes(8 * MIB),
        "a path for a number": head + row.replace(json.loads(row)["node"]["id"].encode(), b"../../etc/passwd"),
    }
    for name, content in files.items():
        with open(path, "wb") as out:
            out.write(content)
        checked(lab, name, folder, "import", path)
    dump = os.path.join(folder, "ironic.sqlite")
    for name, statements in {
        "no tables": [], "a version of later times": ["CREATE TABLE alembic_version (version_num VARCHAR(32))",
                                                       "INSERT INTO alembic_version VALUES ('ffffffffffff')"],
        "a version that is a program": ["CREATE TABLE alembic_version (version_num VARCHAR(32))",
                                        "INSERT INTO alembic_version VALUES ('''; DROP TABLE nodes; --')"],
        "a view without end": ["CREATE TABLE alembic_version (version_num VARCHAR(32))", "INSERT INTO alembic_version VALUES ('9ef41f07cb58')",
                               "CREATE VIEW nodes AS WITH RECURSIVE t(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM t) SELECT id FROM t"],
        "a value of 500 MB": ["CREATE TABLE alembic_version (version_num TEXT)",
                              "INSERT INTO alembic_version VALUES (CAST(zeroblob(500000000) AS TEXT))"],
    }.items():
        if os.path.exists(dump):
            os.remove(dump)
        with sqlite3.connect(dump) as base:
            for statement in statements:
                base.execute(statement)
        checked(lab, name, folder, "migrate", "from-ironic", "--source", f"sqlite:///{dump}", "--dry-run")
    with open(dump, "wb") as out:
        out.write(b"SQLite format 3\0" + os.urandom(MIB))
    checked(lab, "no database", folder, "migrate", "from-ironic", "--source", f"sqlite:///{dump}", "--dry-run")


def checked(lab, name, folder, *words):
    """Runs a command that must refuse what it reads, in words, in time, and with little memory."""
    data = os.path.join(folder, "data")
    limit = "ulimit -v 2000000; exec \"$@\""
    process = subprocess.Popen(["sh", "-c", limit, "sh", lab.program, *words, "--data-dir", data], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        out, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        raise Failed(f"{name}: {words[0]} goes on for a minute") from None
    said = errors.decode("utf-8", "replace")
    expect(process.returncode > 0, f"{name}: {words[0]} ends with {process.returncode}: {said[-300:]} {out[-300:]!r}")
    expect("panicked" not in said and "overflow" not in said, f"{name}: {said[-400:]}")
    expect(0 < len(said) < 20_000, f"{name}: {len(said)} bytes of errors: {said[:200]}")


class Shadow(Service):
    """`corten shadow` with its proxy, beside an Ironic of the attacker's."""

    def __init__(self, program, ironic, dump):
        self.proxy = free_port()
        self.words = ["--of", ironic.url, "--source", f"sqlite:///{dump}", "--listen", f"127.0.0.1:{self.proxy}", "--every", "1"]
        super().__init__(program, files=400)

    def command(self, *words):
        return super().command("shadow", *self.words) if words == ("serve",) else super().command(*words)


def floods_before_a_shadow(lab):
    """N33: the proxy of a shadow: answers without end and of many values, requests to elsewhere, and writes to the copy"""
    dump = os.path.join(lab.folder("shadow"), "ironic.sqlite")
    sound = lab.source("tests/it/import/ironic.sql")
    if sound is None:
        raise Skipped("the sources have no database of Ironic")
    with sqlite3.connect(dump) as base:
        base.executescript(sound)
    dense = b'{"nodes": [' + b"[0]," * (7 * MIB // 4) + b"0]}"

    def answer(handler):
        kind = handler.headers.get("X-Kind", "")
        if handler.path == "/":
            links = [{"href": f"{ironic.url}/v1/", "rel": "self"}]
            return handler.give(200, {"default_version": {"id": "v1", "links": links}}, [("Content-Type", "application/json")])
        if kind == "endless":
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            for _ in range(40):
                handler.wfile.write(b"100000\r\n" + b" " * MIB + b"\r\n")
        bodies = {"dense": dense, "deep": b"[" * (4 * MIB), "text": b'"' + b"x" * (7 * MIB) + b'"', "bytes": os.urandom(MIB)}
        handler.give(200, bodies.get(kind, b"{}"), [("Content-Type", "application/json"), ("X-OpenStack-Ironic-API-Version", "1.95")])

    ironic = Peer(answer)
    stranger = Peer(lambda handler: handler.give(200, b"{}"))
    with Shadow(lab.program, ironic, dump) as shadow:
        secret = "t0ken-that-nobody-may-see"
        for kind in ("dense", "deep", "text", "bytes", "endless"):
            def flood():
                def client():
                    for _ in range(6):
                        try:
                            request(shadow.proxy, "GET", "/v1/nodes/detail", None,
                                    {"X-Kind": kind, "X-Auth-Token": secret, "X-OpenStack-Ironic-API-Version": "1.95"}, timeout=60)
                        except (OSError, http.client.HTTPException):
                            pass
                clients = [threading.Thread(target=client) for _ in range(8)]
                for one in clients:
                    one.start()
                for one in clients:
                    one.join()

            rise, _ = shadow.rises(flood)
            expect(rise < 256 * MIB, f"answers that are {kind} take {rise / MIB:.0f} MiB")
            expect(shadow.is_alive(), f"after answers that are {kind} the copy does not answer")
        # Wherever a request says that it goes: it goes to Ironic, or nowhere.
        for target in (stranger.url + "/v1/nodes", "//127.0.0.1:%d/v1/nodes" % stranger.port, "/\\127.0.0.1/x"):
            raw(shadow.proxy, f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{stranger.port}\r\nConnection: close\r\n\r\n".encode())
        expect(not stranger.seen, f"the proxy asked somebody else: {stranger.seen[:1]}")
        for method, path, body in (("POST", "/v1/nodes", {"driver": "fake-hardware"}), ("POST", "/v1/chassis", {}),
                                   ("PUT", f"/v1/nodes/{uuid.uuid4()}/states/power", {"target": "power on"}),
                                   ("POST", f"/v1/heartbeat/{uuid.uuid4()}", {"callback_url": "http://127.0.0.1:9"})):
            answered = shadow.ask(method, path, body)
            expect(answered.status in (403, 404), f"the copy takes {method} {path}: {answered}")
        report = shadow.ask("GET", "/corten/v1/shadow")
        expect(report.status == 200 and secret not in str(report), f"the report: {str(report)[:200]}")
        expect(secret not in shadow.log() and "panicked" not in shadow.log(), "the log has the token, or a panic")


CHECKS = [
    ("N23", guesses), ("N24", tokens_of_others), ("N25", cookies_of_the_page), ("N26", headers_of_the_page),
    ("N27", batches_of_foreign_nodes), ("N28", words_for_playbooks), ("N29", programs_that_flood), ("N30", keys_of_a_provider),
    ("N31", screens_that_flood), ("N32", hostile_imports), ("N33", floods_before_a_shadow),
]
