"""Walks through a Redfish service with the sushy library, as Ironic uses it.

Usage: sushy-tour.py URL USER PASSWORD AREA...

Every area ends with a line "ok AREA"; the first thing that is not as it should be ends the tour
with a traceback. The service is expected to be one of the simulator with one machine that is off,
whose tasks take no time.
"""
import http.server
import json
import queue
import sys
import threading

import sushy
import sushy.oem.dell
from sushy import exceptions
from sushy.resources import settings


def expect(actual, wanted):
    if actual != wanted:
        raise AssertionError(f"{actual!r} is not {wanted!r}")


def refused(call, *args, status=400, **kwargs):
    try:
        call(*args, **kwargs)
    except exceptions.HTTPError as error:
        expect(error.status_code, status)
        return error
    raise AssertionError("was not refused")


class Tour:
    def __init__(self, url, user, password):
        self.url, self.user, self.password = url, user, password
        self.root = self.connect()

    def connect(self, **auth):
        auth = auth or {"username": self.user, "password": self.password}
        return sushy.Sushy(
            self.url, verify=False, server_side_retries=30, server_side_retries_delay=0.2, **auth
        )

    @property
    def system(self):
        return self.root.get_system()

    @property
    def manager(self):
        return self.root.get_manager()

    def auth(self):
        before = self.sessions()
        basic = sushy.auth.BasicAuth(username=self.user, password=self.password)
        self.connect(auth=basic).get_system()
        session = sushy.auth.SessionAuth(username=self.user, password=self.password)
        other = self.connect(auth=session)
        expect(self.sessions(), before + 1)
        session.close()
        expect(self.sessions(), before)
        del other
        wrong = sushy.auth.SessionAuth(username=self.user, password="wrong")
        try:
            self.connect(auth=wrong)
        except exceptions.AccessError as error:
            expect(error.status_code, 401)
        else:
            raise AssertionError("a wrong password was accepted")

    def sessions(self):
        return len(self.root.get_session_service().sessions.get_members())

    def power(self):
        system = self.system
        expect(system.power_state, sushy.PowerState.OFF)
        assert sushy.ResetType.NMI in system.get_allowed_reset_system_values()
        for reset, wanted in [
            (sushy.RESET_ON, sushy.PowerState.ON),
            (sushy.RESET_FORCE_RESTART, sushy.PowerState.ON),
            (sushy.RESET_GRACEFUL_RESTART, sushy.PowerState.ON),
            (sushy.RESET_NMI, sushy.PowerState.ON),
            (sushy.RESET_GRACEFUL_SHUTDOWN, sushy.PowerState.OFF),
            (sushy.RESET_ON, sushy.PowerState.ON),
            (sushy.RESET_FORCE_OFF, sushy.PowerState.OFF),
        ]:
            system.reset_system(reset)
            system.refresh(force=True)
            expect(system.power_state, wanted)

    def boot(self, enabled, **more):
        system = self.system
        for target in (sushy.BOOT_SOURCE_TARGET_PXE, sushy.BOOT_SOURCE_TARGET_USB,
                       sushy.BOOT_SOURCE_TARGET_HDD):
            system.set_system_boot_options(target, enabled=enabled, **more)
            system.refresh(force=True)
            expect((system.boot["target"], system.boot["enabled"]), (target, enabled))

    def boot_once(self):
        self.boot(sushy.BOOT_SOURCE_ENABLED_ONCE)
        self.once_is_used_up()

    def boot_always(self):
        self.boot(sushy.BOOT_SOURCE_ENABLED_CONTINUOUS)

    def boot_refuses_always(self):
        refused(self.boot, sushy.BOOT_SOURCE_ENABLED_CONTINUOUS)

    def boot_needs_mode(self):
        refused(self.boot, sushy.BOOT_SOURCE_ENABLED_ONCE)
        self.boot(sushy.BOOT_SOURCE_ENABLED_ONCE, mode=sushy.BOOT_SOURCE_MODE_UEFI)
        self.once_is_used_up()

    def once_is_used_up(self):
        system = self.system
        system.reset_system(sushy.RESET_ON)
        system.refresh(force=True)
        expect(system.boot["enabled"], sushy.BOOT_SOURCE_ENABLED_DISABLED)
        system.reset_system(sushy.RESET_FORCE_OFF)

    def boot_mode(self):
        system = self.system
        for mode in (sushy.BOOT_SOURCE_MODE_BIOS, sushy.BOOT_SOURCE_MODE_UEFI):
            system.set_system_boot_options(mode=mode)
            system.refresh(force=True)
            expect(system.boot["mode"], mode)

    def boot_http(self):
        system = self.system
        system.set_system_boot_options(
            sushy.BOOT_SOURCE_TARGET_UEFI_HTTP, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE,
            http_boot_uri="http://127.0.0.1/boot.efi")
        system.refresh(force=True)
        expect((system.boot["target"], system.boot["http_boot_uri"]),
               (sushy.BOOT_SOURCE_TARGET_UEFI_HTTP, "http://127.0.0.1/boot.efi"))

    def lights(self):
        system = self.system
        for state in (sushy.INDICATOR_LED_LIT, sushy.INDICATOR_LED_BLINKING,
                      sushy.INDICATOR_LED_OFF):
            system.set_indicator_led(state)
            system.refresh(force=True)
            expect(system.indicator_led, state)
            chassis = system.chassis[0]
            chassis.set_indicator_led(state)
            chassis.refresh(force=True)
            expect(chassis.indicator_led, state)
        drive = system.storage.get_members()[0].drives[0]
        drive.set_indicator_led(sushy.INDICATOR_LED_LIT)
        drive.refresh(force=True)
        expect(drive.indicator_led, sushy.INDICATOR_LED_LIT)

    def inventory(self):
        system = self.system
        expect(system.processors.summary.count, 64)
        expect(system.processors.get_members()[0].total_cores, 16)
        expect(system.memory_summary.size_gib, 128)
        expect(len(system.ethernet_interfaces.summary), 2)
        expect(len(system.simple_storage.disks_sizes_bytes), 5)
        expect(len(system.storage.drives_sizes_bytes), 5)
        expect(len(system.pcie_devices.get_members()), 1)
        expect(system.pcie_devices.get_members()[0].pcie_functions.get_members()[0].vendor_id,
               "0x15b3")
        adapters = system.chassis[0].network_adapters.get_members()
        assert adapters[0].controllers[0].firmware_package_version
        expect(len(adapters[0].network_device_functions.get_members()), 2)
        assert system.bios_version and self.manager.firmware_version
        assert system.uuid and system.serial_number

    def sensors(self):
        system = self.system
        system.reset_system(sushy.RESET_ON)
        chassis = system.chassis[0]
        thermal, power = chassis.thermal, chassis.power
        assert all(item.reading_celsius > 0 for item in thermal.temperatures)
        assert all(fan.reading > 1000 for fan in thermal.fans)
        expect(len(power.power_supplies), 2)
        assert power.power_supplies[0].power_capacity_watts
        expect(system.chassis_expanded[0].identity, chassis.identity)
        for drive in system.storage.get_members()[0].drives:
            expect(drive.status.health, sushy.HEALTH_OK)
        system.reset_system(sushy.RESET_FORCE_OFF)

    def bios(self):
        system = self.system
        bios = system.bios
        registry = bios.get_attribute_registry()
        names = [item.name for item in registry.registry_entries.attributes]
        expect(sorted(names), sorted(bios.attributes))
        bios.set_attributes({"ProcTurboMode": "Disabled", "NumLock": False},
                            apply_time=sushy.APPLY_TIME_ON_RESET)
        bios.refresh(force=True)
        expect(bios.pending_attributes, {"NumLock": False, "ProcTurboMode": "Disabled"})
        expect(bios.attributes["ProcTurboMode"], "Enabled")
        error = refused(bios.set_attributes, {"ProcTurboMode": "Perhaps", "NumLock": True})
        assert "PropertyValueNotInList" in error.code, error.code
        refused(bios.set_attribute, "SystemBiosVersion", "9")
        refused(bios.set_attribute, "Nonsense", "9")
        system.reset_system(sushy.RESET_ON)
        bios = self.system.bios
        expect(bios.attributes["ProcTurboMode"], "Disabled")
        expect(bios.pending_attributes, {})
        expect(bios.update_status.status, settings.UPDATE_SUCCESS)
        bios.reset_bios()
        system.reset_system(sushy.RESET_FORCE_RESTART)
        expect(self.system.bios.attributes["ProcTurboMode"], "Enabled")
        bios.change_password("new", "", "UserPassword")
        refused(bios.change_password, "newer", "", "UserPassword")
        bios.change_password("", "new", "UserPassword")
        system.reset_system(sushy.RESET_FORCE_OFF)

    def secure_boot(self):
        system = self.system
        secure = system.secure_boot
        expect(secure.enabled, False)
        secure.set_enabled(True)
        secure.refresh(force=True)
        expect((secure.enabled, secure.current_boot),
               (True, sushy.SECURE_BOOT_DISABLED))
        system.reset_system(sushy.RESET_ON)
        secure.refresh(force=True)
        expect(secure.current_boot, sushy.SECURE_BOOT_ENABLED)
        secure.reset_keys(sushy.SECURE_BOOT_RESET_KEYS_DELETE_ALL)
        secure.refresh(force=True)
        expect(secure.mode, sushy.SECURE_BOOT_MODE_SETUP)
        database = next(item for item in secure.databases.get_members() if item.identity == "PK")
        database.reset_keys(sushy.SECURE_BOOT_RESET_KEYS_TO_DEFAULT)
        secure.refresh(force=True)
        expect(secure.mode, sushy.SECURE_BOOT_MODE_USER)
        secure.set_enabled(False)
        system.reset_system(sushy.RESET_FORCE_OFF)

    def media(self):
        for slots in self.slots():
            drive = next(slot for slot in slots
                         if sushy.VIRTUAL_MEDIA_CD in slot.media_types)
            drive.insert_media("http://127.0.0.1/boot.iso")
            drive.refresh(force=True)
            expect((drive.inserted, drive.image, drive.image_name, drive.write_protected),
                   (True, "http://127.0.0.1/boot.iso", "boot.iso", True))
            drive.eject_media()
            drive.refresh(force=True)
            expect((drive.inserted, drive.image), (False, None))
            drive.set_verify_certificate(True)
            drive.refresh(force=True)
            expect(drive.verify_certificate, True)
            refused(drive.insert_media, "no address")

    def slots(self):
        found = []
        for owner in (self.system, self.manager):
            try:
                found.append(owner.virtual_media.get_members())
            except exceptions.MissingAttributeError:
                pass
        assert found
        return found

    def volumes(self):
        storage = self.raid()
        drives = storage.drives
        volume = storage.volumes.create({
            "Name": "root", "RAIDType": "RAID1", "CapacityBytes": 100 * 2**30,
            "Links": {"Drives": [{"@odata.id": drive.path} for drive in drives[:2]]},
        }, apply_time=sushy.APPLY_TIME_IMMEDIATE)
        expect((volume.name, volume.raid_type, volume.capacity_bytes),
               ("root", sushy.RAID_TYPE_RAID1, 100 * 2**30))
        expect([item.identity for item in self.raid().drives[0].volumes], [volume.identity])
        refused(storage.volumes.create, {"RAIDType": "RAID5", "Links": {
            "Drives": [{"@odata.id": drive.path} for drive in drives[:2]]}})
        refused(storage.volumes.create, {"RAIDType": "RAID99"})
        volume.initialize()
        volume.delete(apply_time=sushy.APPLY_TIME_IMMEDIATE)
        expect(self.raid().volumes.get_members(), [])
        # A task that waits for the next start.
        monitor = storage.volumes.create({"RAIDType": "RAID10"},
                                         apply_time=sushy.APPLY_TIME_ON_RESET)
        expect(monitor.is_processing, True)
        expect(self.raid().volumes.get_members(), [])
        self.system.reset_system(sushy.RESET_ON)
        expect(len(self.raid().volumes.get_members()), 1)
        tasks = self.root.get_task_service().tasks.get_members()
        expect(tasks[-1].task_state, sushy.TASK_STATE_COMPLETED)
        for volume in self.raid().volumes.get_members():
            volume.delete(apply_time=sushy.APPLY_TIME_ON_RESET)
        self.system.reset_system(sushy.RESET_FORCE_RESTART)
        expect(self.raid().volumes.get_members(), [])
        self.system.reset_system(sushy.RESET_FORCE_OFF)

    def raid(self):
        return next(item for item in self.system.storage.get_members()
                    if item.controllers.get_members()[0].raid_types)

    def firmware(self):
        service = self.root.get_update_service()
        names = {item.identity for item in service.firmware_inventory.get_members()}
        expect(names, {"BIOS", "BMC", "NIC.1"})
        service.simple_update("http://127.0.0.1/bios-9.8.7.bin")
        self.start()
        expect(self.system.bios_version, "9.8.7")
        nic = next(item for item in service.firmware_inventory.get_members()
                   if item.identity == "NIC.1")
        service.simple_update("http://127.0.0.1/image-5.5.bin", targets=[nic.path])
        self.start()
        nic.refresh(force=True)
        expect(nic.version, "5.5")
        monitor = service.simple_update("http://127.0.0.1/corrupt-1.1.bin")
        self.start()
        task = monitor.get_task()
        expect((task.task_state, task.task_status),
               (sushy.TASK_STATE_EXCEPTION, sushy.HEALTH_CRITICAL))
        refused(service.simple_update, "no address")

    def start(self):
        """Some makers install firmware when the machine is started."""
        self.system.reset_system(sushy.RESET_ON)
        self.system.reset_system(sushy.RESET_FORCE_OFF)

    def events(self):
        received = queue.Queue()

        class Listener(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put((self.headers.get("X-Mark"), json.loads(body)))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        service = self.root.get_event_service()
        assert sushy.EVENT_TYPE_ALERT in service.get_event_types_for_subscription()
        subscription = service.subscriptions.create({
            "Destination": f"http://127.0.0.1:{server.server_port}/events",
            "Protocol": "Redfish", "Context": "tour", "EventTypes": ["StatusChange"],
            "HttpHeaders": [{"X-Mark": "mine"}],
        })
        expect(subscription.context, "tour")
        self.system.reset_system(sushy.RESET_ON)
        mark, event = received.get(timeout=20)
        expect((mark, event["Context"]), ("mine", "tour"))
        expect(event["Events"][0]["MessageArgs"][1], "On")
        service.submit_test_event("7", "2031-02-03T04:05:06Z", "StatusChange", "a test", [],
                                  "Base.1.18.Success", "/redfish/v1", "OK")
        expect(received.get(timeout=20)[1]["Events"][0]["Message"], "a test")
        subscription.delete()
        expect(self.root.get_event_service().subscriptions.get_members(), [])
        self.system.reset_system(sushy.RESET_FORCE_OFF)
        server.shutdown()

    def managers(self):
        manager = self.manager
        assert manager.get_supported_graphical_console_types()
        manager.set_datetime("2031-02-03T04:05:06+00:00", "+00:00")
        manager.refresh(force=True)
        assert manager.datetime.startswith("2031-02-03T04:05:0"), manager.datetime
        expect(manager.systems[0].identity, self.system.identity)
        expect(manager.chassis[0].identity, self.system.chassis[0].identity)

    def restart(self):
        self.manager.reset_manager(sushy.RESET_MANAGER_GRACEFUL_RESTART)
        # The token is gone with the restart; sushy logs in again.
        expect(self.root.get_system().power_state, sushy.PowerState.OFF)

    def dell(self):
        system = self.system
        manager = self.manager.get_oem_extension("Dell")
        assert manager.lifecycle_service.is_idrac_ready()
        expect(manager.job_collection.get_unfinished_jobs(), [])
        macs = {"NIC.1": "first", "NIC.2": "second"}
        expect(manager.get_pxe_port_macs_bios(macs), ["first"])
        manager.set_virtual_boot_device(sushy.VIRTUAL_MEDIA_CD, manager=self.manager,
                                        system=system)
        system.refresh(force=True)
        expect((system.boot["target"], system.boot["enabled"]),
               (sushy.BOOT_SOURCE_TARGET_CD, sushy.BOOT_SOURCE_ENABLED_ONCE))
        extension = system.get_oem_extension("Dell")
        expect(extension.clear_foreign_config(), [])
        expect(len(extension.change_physical_disk_state(
            sushy.oem.dell.PHYSICAL_DISK_STATE_MODE_NONRAID)), 1)
        expect(len(manager.job_collection.get_unfinished_jobs()), 1)
        system.reset_system(sushy.RESET_ON)
        expect({item.volume_type for item in self.raid().volumes.get_members()},
               {sushy.VOLUME_TYPE_RAW_DEVICE})
        monitors = self.system.get_oem_extension("Dell").change_physical_disk_state(
            sushy.oem.dell.PHYSICAL_DISK_STATE_MODE_RAID)
        system.reset_system(sushy.RESET_FORCE_RESTART)
        expect(self.raid().volumes.get_members(), [])
        task = monitors[0].get_task()
        expect(task.task_state, sushy.TASK_STATE_COMPLETED)
        expect(task.get_oem_extension("Dell").job_type, sushy.oem.dell.JOB_TYPE_RAID_CONF)
        volumes = self.raid().volumes
        monitor = volumes.create({"RAIDType": "RAID1"}, apply_time=sushy.APPLY_TIME_ON_RESET)
        expect(monitor.check_is_processing, True)
        system.reset_system(sushy.RESET_FORCE_RESTART)
        expect(monitor.check_is_processing, False)
        for volume in self.raid().volumes.get_members():
            volume.delete(apply_time=sushy.APPLY_TIME_ON_RESET)
        system.reset_system(sushy.RESET_FORCE_RESTART)
        manager.job_service.delete_jobs()
        expect(manager.job_collection.get_jobs(), [])
        assert manager.idrac_card_service.get_kvm_session()["TempUsername"]
        system.reset_system(sushy.RESET_FORCE_OFF)


def main():
    url, user, password, *areas = sys.argv[1:]
    tour = Tour(url, user, password)
    for area in areas:
        getattr(tour, area)()
        print("ok", area, flush=True)


main()
