#!/usr/bin/env python3
"""A driver for Corten in one file: machines with Redfish, by Python's own library alone.
docs/hardware/external-drivers.md says how to try it on simulated machines."""
import base64
import http.client
import json
import socket
import ssl
import sys
import threading
import time
from urllib.parse import urlsplit

POWER = {"power on": "On", "power off": "ForceOff", "rebooting": "ForceRestart",
         "soft power off": "GracefulShutdown"}
RESET = "/Actions/ComputerSystem.Reset"
CODES = {401: "refused", 403: "refused", 404: "invalid", 503: "busy"}
DEVICES = {"pxe": "Pxe", "disk": "Hdd", "cdrom": "Cd"}
PROPERTIES = [
    {"name": "example_address", "description": "URL", "required": True, "address": True},
    {"name": "example_username", "description": "User"},
    {"name": "example_password", "description": "Password", "secret": True}]
DECLARATION = {
    "protocol": 1, "name": "redfish-example", "version": "1.0",
    "hardware_types": [{"name": "redfish-example", "interfaces": {
        "power": ["redfish-example"], "management": ["redfish-example"],
        "vendor": ["redfish-example", "no-vendor"]}}],
    "interfaces": [
        {"kind": "power", "name": "redfish-example", "properties": PROPERTIES, "targets": list(POWER)},
        {"kind": "management", "name": "redfish-example", "properties": PROPERTIES,
         "boot_devices": list(DEVICES), "features": ["sensors"],
         "steps": [{"kind": kind, "name": "power_cycle", "on_restart": {"poll": "it may be off"}}
                   for kind in ("clean", "deploy", "service")]},
        {"kind": "vendor", "name": "redfish-example", "properties": PROPERTIES, "methods": [
            {"name": "bmc", "http_methods": ["GET"], "description": "What the BMC says of itself"}]}],
    "example": {"driver_info": {"example_address": "http://127.0.0.1:8000",
                                "example_username": "admin", "example_password": "password"}}}
OUT = threading.Lock()


class Problem(Exception):
    """A code of the protocol and a message."""


def ask(info, path, method="GET", body=None):
    """Connects where the service allows it and follows no redirect: nobody else learns the login."""
    url, (host, _, port) = urlsplit(info["example_address"]), info["judged"].rpartition(":")
    login = f'{info.get("example_username", "")}:{info.get("example_password", "")}'
    headers = {"Authorization": "Basic " + base64.b64encode(login.encode()).decode(),
               "Content-Type": "application/json", "Host": url.netloc.rpartition("@")[2]}
    connection = http.client.HTTPConnection(url.hostname, port)
    try:
        connection.sock = socket.create_connection((host.strip("[]"), int(port)), 20)
        if url.scheme == "https":
            connection.sock = ssl.create_default_context().wrap_socket(
                connection.sock, server_hostname=url.hostname)
        connection.request(method, url.path.rstrip("/") + path, body and json.dumps(body), headers)
        answer = connection.getresponse()
        if answer.status >= 300:
            raise Problem(CODES.get(answer.status, "rejected"), f"{path}: HTTP {answer.status}")
        return json.loads(answer.read(1 << 20) or b"{}")
    except (OSError, http.client.HTTPException, ValueError) as error:
        code = "unreachable" if isinstance(error, OSError) else "protocol"
        raise Problem(code, f"{method} {path}: {error}")
    finally:
        connection.close()


def first(info, collection):
    return ask(info, "/redfish/v1/" + collection)["Members"][0]["@odata.id"]


def state(info):
    power = ask(info, first(info, "Systems")).get("PowerState")
    return {"On": "power on", "Off": "power off"}.get(power)


def reset(info, target):
    """Tells the machine to change its power, and waits until it has."""
    end = "power off" if target.endswith("off") else "power on"
    if state(info) != end or target == "rebooting":
        ask(info, first(info, "Systems") + RESET, "POST", {"ResetType": POWER[target]})
    for _ in range(50):
        if state(info) == end:
            return {}
        time.sleep(0.5)
    raise Problem("unfinished", f"the machine is not in state '{end}'")


def step(info, handle):
    """Called first without a handle, and then with the one that it left."""
    is_on = state(info) == "power on"
    if handle and not is_on:
        return reset(info, "power on")
    if is_on:
        ask(info, first(info, "Systems") + RESET, "POST", {"ResetType": "ForceOff"})
    return {"wait": {"reason": "the machine goes off", "after_s": 1, "handle": "off"}}


def carry_out(method, params):
    if method in ("hello", "ping"):
        return DECLARATION if method == "hello" else {}
    info = {**params.get("node", {}).get("driver_info", {}),
            "judged": params.get("addresses", {}).get("example_address")}
    if method == "power.get":
        return {"state": state(info)}
    if method == "power.set":
        return reset(info, params["target"])
    if method == "management.boot_device":
        boot = ask(info, first(info, "Systems")).get("Boot", {})
        device = {v: k for k, v in DEVICES.items()}.get(boot.get("BootSourceOverrideTarget"))
        lasts = boot.get("BootSourceOverrideEnabled") == "Continuous"
        return {"device": device, "persistent": lasts}
    if method == "management.set_boot_device":
        ask(info, first(info, "Systems"), "PATCH", {"Boot": {
            "BootSourceOverrideTarget": DEVICES[params["device"]],
            "BootSourceOverrideEnabled": "Continuous" if params["persistent"] else "Once"}})
        return {}
    if method == "management.sensors":
        found = ask(info, first(info, "Chassis") + "/Thermal").get("Temperatures", [])
        return {"sensors": {"Temperature": {
            sensor["Name"]: {"reading_celsius": sensor["ReadingCelsius"]} for sensor in found}}}
    if method in ("step.run", "step.poll") and params["step"] == "power_cycle":
        return step(info, params.get("handle"))
    if method == "vendor.call" and params["method"] == "bmc":
        return {"value": ask(info, first(info, "Managers"))}
    raise Problem("unsupported", f"there is no method {method}")


def answer(call):
    reply = {"id": call["id"]}
    try:
        reply["result"] = carry_out(call["method"], call.get("params", {}))
    except Problem as problem:
        reply["error"] = dict(zip(("code", "message"), problem.args))
    except Exception as error:  # every call gets an answer
        reply["error"] = {"code": "invalid", "message": repr(error)}
    with OUT:
        print(json.dumps(reply), flush=True)


for line in sys.stdin.buffer:
    try:
        call = json.loads(line)
    except ValueError:
        continue
    if isinstance(call, dict) and call.get("method") == "ping":
        answer(call)  # at once, or the service thinks that this program hangs
    elif isinstance(call, dict) and "id" in call:  # what has none is a cancel
        threading.Thread(target=answer, args=(call,), daemon=True).start()
