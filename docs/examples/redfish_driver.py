#!/usr/bin/env python3
"""A driver for Corten in one file: machines with Redfish, by Python's own library alone.

Try it on simulated machines:
    corten sim --machines 1 --redfish-port 8000
    corten driver test docs/examples/redfish_driver.py --change
"""
import base64
import json
import sys
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

POWER = {"power on": "On", "power off": "ForceOff", "rebooting": "ForceRestart",
         "soft power off": "GracefulShutdown"}
DEVICES = {"pxe": "Pxe", "disk": "Hdd", "cdrom": "Cd"}
PROPERTIES = [
    {"name": "example_address", "description": "URL of the Redfish service",
     "required": True, "address": True},
    {"name": "example_system", "description": "Id of the system; the first one if unset"},
    {"name": "example_username", "description": "User"},
    {"name": "example_password", "description": "Password", "secret": True}]
DECLARATION = {
    "protocol": 1, "name": "redfish-example", "version": "1.0",
    "hardware_types": [{"name": "redfish-example", "interfaces": {
        "power": ["redfish-example"], "management": ["redfish-example"],
        "vendor": ["redfish-example", "no-vendor"]}}],
    "interfaces": [
        {"kind": "power", "name": "redfish-example", "properties": PROPERTIES,
         "targets": list(POWER)},
        {"kind": "management", "name": "redfish-example", "properties": PROPERTIES,
         "boot_devices": list(DEVICES), "features": ["sensors", "vendor"],
         # Off and on again takes long, so it is not waited for: the handle says what comes next.
         "steps": [{"kind": kind, "name": "power_cycle",
                    "on_restart": {"poll": "the machine may be off"}}
                   for kind in ("clean", "deploy", "service")]},
        {"kind": "vendor", "name": "redfish-example", "properties": PROPERTIES,
         "methods": [{"name": "log_services", "http_methods": ["GET"],
                      "description": "Lists the logs of the BMC"}]}],
    "example": {"driver_info": {"example_address": "http://127.0.0.1:8000",
                                "example_username": "admin", "example_password": "password"}}}


class Problem(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def ask(info, path, method="GET", body=None):
    """One request to the BMC; HTTP's failures become codes of the protocol."""
    request = urllib.request.Request(info["example_address"].rstrip("/") + path, method=method)
    login = f'{info.get("example_username", "")}:{info.get("example_password", "")}'
    request.add_header("Authorization", "Basic " + base64.b64encode(login.encode()).decode())
    request.add_header("Content-Type", "application/json")
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(request, data, timeout=20) as answer:
            return json.loads(answer.read(1 << 20) or b"{}")
    except urllib.error.HTTPError as error:
        code = {401: "refused", 403: "refused", 404: "invalid", 503: "busy"}
        raise Problem(code.get(error.code, "rejected"), f"{method} {path}: HTTP {error.code}")
    except ValueError as error:
        raise Problem("protocol", f"{method} {path}: {error}")
    except OSError as error:
        raise Problem("unreachable", f"{method} {path}: {error}")


def system(info):
    name = info.get("example_system")
    if name:
        return f"/redfish/v1/Systems/{name}"
    return ask(info, "/redfish/v1/Systems")["Members"][0]["@odata.id"]


def state(info):
    found = ask(info, system(info)).get("PowerState")
    return {"On": "power on", "Off": "power off"}.get(found)


def reset(info, target):
    """Tells the machine to change its power, and waits until it has."""
    end = "power off" if target.endswith("off") else "power on"
    if state(info) != end or target == "rebooting":
        ask(info, system(info) + "/Actions/ComputerSystem.Reset", "POST",
            {"ResetType": POWER[target]})
    for _ in range(50):
        if state(info) == end:
            return
        threading.Event().wait(0.5)
    raise Problem("unfinished", f"the machine is not in state '{end}'")


def sensors(info):
    chassis = ask(info, "/redfish/v1/Chassis")["Members"][0]["@odata.id"]
    readings = ask(info, chassis + "/Thermal").get("Temperatures", [])
    return {"Temperature": {r["Name"]: {"reading_celsius": r["ReadingCelsius"]}
                            for r in readings if r.get("ReadingCelsius") is not None}}


def step(info, handle):
    """Called first without a handle, and then with the one that it left."""
    if handle is None:
        ask(info, system(info) + "/Actions/ComputerSystem.Reset", "POST",
            {"ResetType": "ForceOff"}) if state(info) == "power on" else None
        return {"wait": {"reason": "the machine goes off", "after_s": 1, "handle": "off"}}
    if handle == "off" and state(info) == "power off":
        reset(info, "power on")
        return {}
    return {"wait": {"reason": "the machine goes off", "after_s": 1, "handle": handle}}


def carry_out(method, params):
    if method == "hello":
        return DECLARATION
    if method == "ping":
        return {}
    info = params["node"]["driver_info"]
    if method == "power.get":
        return {"state": state(info)}
    if method == "power.set":
        return reset(info, params["target"]) or {}
    if method == "management.boot_device":
        boot = ask(info, system(info)).get("Boot", {})
        device = {v: k for k, v in DEVICES.items()}.get(boot.get("BootSourceOverrideTarget"))
        return {"device": device, "persistent": boot.get("BootSourceOverrideEnabled") == "Continuous"}
    if method == "management.set_boot_device":
        ask(info, system(info), "PATCH", {"Boot": {
            "BootSourceOverrideTarget": DEVICES[params["device"]],
            "BootSourceOverrideEnabled": "Continuous" if params["persistent"] else "Once"}})
        return {}
    if method == "management.sensors":
        return {"sensors": sensors(info)}
    if method == "management.vendor":
        return {"vendor": ask(info, system(info)).get("Manufacturer", "").lower() or None}
    if method in ("step.run", "step.poll") and params["step"] == "power_cycle":
        return step(info, params.get("handle"))
    if method == "vendor.call" and params["method"] == "log_services":
        manager = ask(info, "/redfish/v1/Managers")["Members"][0]["@odata.id"]
        return {"value": ask(info, manager + "/LogServices")}
    raise Problem("unsupported", f"there is no method {method}")


def answer(call, out):
    reply = {"id": call["id"]}
    try:
        reply["result"] = carry_out(call["method"], call.get("params", {}))
    except Problem as problem:
        reply["error"] = {"code": problem.code, "message": str(problem)}
    except (KeyError, TypeError, IndexError) as error:
        reply["error"] = {"code": "invalid", "message": f"{call['method']}: {error!r} is missing"}
    with out:
        print(json.dumps(reply), flush=True)


def main():
    out = threading.Lock()
    with ThreadPoolExecutor(32) as workers:
        for line in sys.stdin.buffer:
            try:
                call = json.loads(line)
                known = isinstance(call, dict) and isinstance(call.get("id"), int)
            except ValueError:
                known = False
            if not known:  # a cancelled call ends by its own timeout
                continue
            if call["method"] in ("hello", "ping"):
                answer(call, out)
            else:
                workers.submit(answer, call, out)


main()
