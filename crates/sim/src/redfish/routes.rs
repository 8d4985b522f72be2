//! The table of all paths.

use super::{
    resource::{
        account, bios, chassis, dell, event, hardware, log, manager, media, network, registry,
        root, secure_boot, sensor, session, storage, system, task, update, volume,
    },
    route::Route,
};
use crate::fault::Write;

/// Every path that there is.
pub(crate) const ROUTES: &[Route] = &[
    Route::raw("/redfish", root::versions).open(),
    Route::show("/redfish/v1", root::root).open(),
    Route::raw("/redfish/v1/odata", root::odata).open(),
    Route::raw("/redfish/v1/$metadata", root::metadata).open(),
    // Sessions and accounts.
    Route::show("/redfish/v1/SessionService", session::service)
        .change(session::change_service)
        .of_service(),
    Route::show("/redfish/v1/SessionService/Sessions", session::list)
        .post(session::log_in)
        .of_service()
        .own(),
    Route::show("/redfish/v1/SessionService/Sessions/{session}", session::show)
        .delete(session::log_out)
        .of_service()
        .own(),
    Route::show("/redfish/v1/AccountService", account::service),
    Route::show("/redfish/v1/AccountService/Roles", account::roles),
    Route::show("/redfish/v1/AccountService/Roles/{role}", account::role),
    Route::show("/redfish/v1/AccountService/Accounts", account::list).post(account::create),
    Route::show("/redfish/v1/AccountService/Accounts/{account}", account::show)
        .change(account::change)
        .delete(account::delete)
        .own(),
    // Systems.
    Route::show("/redfish/v1/Systems", system::list),
    Route::show("/redfish/v1/Systems/{system}", system::show)
        .change(system::change)
        .about(Write::Boot),
    Route::action(
        "/redfish/v1/Systems/{system}/Actions/ComputerSystem.Reset",
        system::reset,
    )
    .about(Write::Power),
    Route::show("/redfish/v1/Systems/{system}/Processors", hardware::processors),
    Route::show("/redfish/v1/Systems/{system}/Processors/{processor}", hardware::processor),
    Route::show("/redfish/v1/Systems/{system}/Memory", hardware::memory),
    Route::show("/redfish/v1/Systems/{system}/Memory/{module}", hardware::module),
    Route::show("/redfish/v1/Systems/{system}/EthernetInterfaces", hardware::interfaces),
    Route::show(
        "/redfish/v1/Systems/{system}/EthernetInterfaces/{interface}",
        hardware::interface,
    ),
    Route::show("/redfish/v1/Systems/{system}/Bios", bios::show),
    Route::action("/redfish/v1/Systems/{system}/Bios/Actions/Bios.ResetBios", bios::reset),
    Route::action(
        "/redfish/v1/Systems/{system}/Bios/Actions/Bios.ChangePassword",
        bios::change_password,
    ),
    Route::show("/redfish/v1/Systems/{system}/Bios/{settings}", bios::show_staged)
        .change(bios::stage),
    Route::show("/redfish/v1/Systems/{system}/SecureBoot", secure_boot::show)
        .change(secure_boot::change),
    Route::action(
        "/redfish/v1/Systems/{system}/SecureBoot/Actions/SecureBoot.ResetKeys",
        secure_boot::reset_keys,
    ),
    Route::show(
        "/redfish/v1/Systems/{system}/SecureBoot/SecureBootDatabases",
        secure_boot::databases,
    ),
    Route::show(
        "/redfish/v1/Systems/{system}/SecureBoot/SecureBootDatabases/{database}",
        secure_boot::show_database,
    ),
    Route::action(
        "/redfish/v1/Systems/{system}/SecureBoot/SecureBootDatabases/{database}/Actions/SecureBootDatabase.ResetKeys",
        secure_boot::reset_database,
    ),
    Route::show("/redfish/v1/Systems/{system}/VirtualMedia", media::list),
    Route::show("/redfish/v1/Systems/{system}/VirtualMedia/{slot}", media::show)
        .change(media::change),
    Route::action(
        "/redfish/v1/Systems/{system}/VirtualMedia/{slot}/Actions/VirtualMedia.InsertMedia",
        media::insert,
    ),
    Route::action(
        "/redfish/v1/Systems/{system}/VirtualMedia/{slot}/Actions/VirtualMedia.EjectMedia",
        media::eject,
    ),
    // Drives and volumes.
    Route::show("/redfish/v1/Systems/{system}/SimpleStorage", storage::simple_list),
    Route::show("/redfish/v1/Systems/{system}/SimpleStorage/{storage}", storage::simple),
    Route::show("/redfish/v1/Systems/{system}/Storage", storage::list),
    Route::show("/redfish/v1/Systems/{system}/Storage/{storage}", storage::show),
    Route::show(
        "/redfish/v1/Systems/{system}/Storage/{storage}/Controllers",
        storage::controllers,
    ),
    Route::show(
        "/redfish/v1/Systems/{system}/Storage/{storage}/Controllers/{controller}",
        storage::show_controller,
    ),
    Route::show(
        "/redfish/v1/Systems/{system}/Storage/{storage}/Drives/{drive}",
        storage::show_drive,
    )
    .change(storage::change_drive),
    Route::show("/redfish/v1/Systems/{system}/Storage/{storage}/Volumes", volume::list)
        .post(volume::create),
    Route::show(
        "/redfish/v1/Systems/{system}/Storage/{storage}/Volumes/{volume}",
        volume::show,
    )
    .delete(volume::delete),
    Route::action(
        "/redfish/v1/Systems/{system}/Storage/{storage}/Volumes/{volume}/Actions/Volume.Initialize",
        volume::initialize,
    ),
    Route::show("/redfish/v1/Systems/{system}/LogServices", log::list),
    Route::show("/redfish/v1/Systems/{system}/LogServices/{log}", log::show),
    Route::action(
        "/redfish/v1/Systems/{system}/LogServices/{log}/Actions/LogService.ClearLog",
        log::clear,
    ),
    Route::show("/redfish/v1/Systems/{system}/LogServices/{log}/Entries", log::entries),
    Route::show(
        "/redfish/v1/Systems/{system}/LogServices/{log}/Entries/{entry}",
        log::show_entry,
    ),
    // Chassis.
    Route::show("/redfish/v1/Chassis", chassis::list),
    Route::show("/redfish/v1/Chassis/{chassis}", chassis::show).change(chassis::change),
    Route::action("/redfish/v1/Chassis/{chassis}/Actions/Chassis.Reset", chassis::reset)
        .about(Write::Power),
    Route::show("/redfish/v1/Chassis/{chassis}/Thermal", sensor::thermal),
    Route::show("/redfish/v1/Chassis/{chassis}/Power", sensor::power),
    Route::show("/redfish/v1/Chassis/{chassis}/Sensors", sensor::list),
    Route::show("/redfish/v1/Chassis/{chassis}/Sensors/{sensor}", sensor::show),
    Route::show("/redfish/v1/Chassis/{chassis}/ThermalSubsystem", sensor::thermal_subsystem),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/ThermalSubsystem/ThermalMetrics",
        sensor::thermal_metrics,
    ),
    Route::show("/redfish/v1/Chassis/{chassis}/ThermalSubsystem/Fans", sensor::fans),
    Route::show("/redfish/v1/Chassis/{chassis}/ThermalSubsystem/Fans/{fan}", sensor::fan),
    Route::show("/redfish/v1/Chassis/{chassis}/PowerSubsystem", sensor::power_subsystem),
    Route::show("/redfish/v1/Chassis/{chassis}/PowerSubsystem/PowerSupplies", sensor::supplies),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/PowerSubsystem/PowerSupplies/{supply}",
        sensor::supply,
    ),
    Route::show("/redfish/v1/Chassis/{chassis}/NetworkAdapters", network::adapters),
    Route::show("/redfish/v1/Chassis/{chassis}/NetworkAdapters/{adapter}", network::adapter),
    Route::show("/redfish/v1/Chassis/{chassis}/NetworkAdapters/{adapter}/Ports", network::ports),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/NetworkAdapters/{adapter}/Ports/{port}",
        network::port,
    ),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/NetworkAdapters/{adapter}/NetworkDeviceFunctions",
        network::functions,
    ),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/NetworkAdapters/{adapter}/NetworkDeviceFunctions/{function}",
        network::function,
    ),
    Route::show("/redfish/v1/Chassis/{chassis}/PCIeDevices", network::devices),
    Route::show("/redfish/v1/Chassis/{chassis}/PCIeDevices/{device}", network::device),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/PCIeDevices/{device}/PCIeFunctions",
        network::pcie_functions,
    ),
    Route::show(
        "/redfish/v1/Chassis/{chassis}/PCIeDevices/{device}/PCIeFunctions/{function}",
        network::pcie_function,
    ),
    // Managers.
    Route::show("/redfish/v1/Managers", manager::list),
    Route::show("/redfish/v1/Managers/{manager}", manager::show).change(manager::change),
    Route::action("/redfish/v1/Managers/{manager}/Actions/Manager.Reset", manager::reset)
        .of_service(),
    Route::show("/redfish/v1/Managers/{manager}/NetworkProtocol", manager::protocol),
    Route::show("/redfish/v1/Managers/{manager}/EthernetInterfaces", manager::interfaces),
    Route::show(
        "/redfish/v1/Managers/{manager}/EthernetInterfaces/{interface}",
        manager::interface,
    ),
    Route::show("/redfish/v1/Managers/{manager}/VirtualMedia", media::list),
    Route::show("/redfish/v1/Managers/{manager}/VirtualMedia/{slot}", media::show)
        .change(media::change),
    Route::action(
        "/redfish/v1/Managers/{manager}/VirtualMedia/{slot}/Actions/VirtualMedia.InsertMedia",
        media::insert,
    ),
    Route::action(
        "/redfish/v1/Managers/{manager}/VirtualMedia/{slot}/Actions/VirtualMedia.EjectMedia",
        media::eject,
    ),
    Route::show("/redfish/v1/Managers/{manager}/LogServices", log::list),
    Route::show("/redfish/v1/Managers/{manager}/LogServices/{log}", log::show),
    Route::action(
        "/redfish/v1/Managers/{manager}/LogServices/{log}/Actions/LogService.ClearLog",
        log::clear,
    ),
    Route::show("/redfish/v1/Managers/{manager}/LogServices/{log}/Entries", log::entries),
    Route::show(
        "/redfish/v1/Managers/{manager}/LogServices/{log}/Entries/{entry}",
        log::show_entry,
    ),
    // Updates, tasks, events, registries.
    Route::show("/redfish/v1/UpdateService", update::service),
    Route::action(
        "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate",
        update::simple,
    ),
    Route::action("/redfish/v1/UpdateService/update", update::push),
    Route::action("/redfish/v1/UpdateService/update-multipart", update::push_multipart),
    Route::show("/redfish/v1/UpdateService/FirmwareInventory", update::list),
    Route::show("/redfish/v1/UpdateService/FirmwareInventory/{component}", update::show),
    Route::show("/redfish/v1/TaskService", task::service),
    Route::show("/redfish/v1/TaskService/Tasks", task::list),
    Route::show("/redfish/v1/TaskService/Tasks/{task}", task::show)
        .delete(task::delete)
        .of_service(),
    Route::show("/redfish/v1/TaskService/TaskMonitors/{task}", task::show)
        .delete(task::delete)
        .of_service(),
    Route::show("/redfish/v1/EventService", event::service),
    Route::action(
        "/redfish/v1/EventService/Actions/EventService.SubmitTestEvent",
        event::test,
    )
    .of_service(),
    Route::show("/redfish/v1/EventService/Subscriptions", event::list)
        .post(event::create)
        .of_service(),
    Route::show("/redfish/v1/EventService/Subscriptions/{subscription}", event::show)
        .change(event::change)
        .delete(event::delete)
        .of_service(),
    Route::show("/redfish/v1/Registries", registry::list),
    Route::show("/redfish/v1/Registries/{registry}", registry::show),
    Route::show("/redfish/v1/Registries/{registry}/registry", registry::content),
    // What one maker adds.
    Route::show("/redfish/v1/Systems/{system}/Oem/Dell/DellRaidService", dell::raid),
    Route::action(
        "/redfish/v1/Systems/{system}/Oem/Dell/DellRaidService/Actions/DellRaidService.ConvertToRAID",
        dell::convert_to_raid,
    ),
    Route::action(
        "/redfish/v1/Systems/{system}/Oem/Dell/DellRaidService/Actions/DellRaidService.ConvertToNonRAID",
        dell::convert_to_raw,
    ),
    Route::action(
        "/redfish/v1/Systems/{system}/Oem/Dell/DellRaidService/Actions/DellRaidService.ClearForeignConfig",
        dell::clear_foreign,
    ),
    Route::show("/redfish/v1/Managers/{manager}/Oem/Dell/DellJobService", dell::job_service),
    Route::action(
        "/redfish/v1/Managers/{manager}/Oem/Dell/DellJobService/Actions/DellJobService.DeleteJobQueue",
        dell::delete_jobs,
    ),
    Route::show("/redfish/v1/Managers/{manager}/Oem/Dell/DellLCService", dell::lifecycle),
    Route::action(
        "/redfish/v1/Managers/{manager}/Oem/Dell/DellLCService/Actions/DellLCService.GetRemoteServicesAPIStatus",
        dell::status,
    )
    .of_service(),
    Route::show("/redfish/v1/Managers/{manager}/Oem/Dell/DelliDRACCardService", dell::card),
    Route::action(
        "/redfish/v1/Managers/{manager}/Oem/Dell/DelliDRACCardService/Actions/DelliDRACCardService.iDRACReset",
        dell::reset_card,
    )
    .of_service(),
    Route::action(
        "/redfish/v1/Managers/{manager}/Oem/Dell/DelliDRACCardService/Actions/DelliDRACCardService.GetKVMSession",
        dell::kvm_session,
    )
    .of_service(),
    Route::show("/redfish/v1/Managers/{manager}/Oem/Dell/Jobs", dell::jobs),
    Route::show("/redfish/v1/Managers/{manager}/Oem/Dell/Jobs/{job}", dell::show_job),
    Route::action(
        "/redfish/v1/Managers/{manager}/Actions/Oem/EID_674_Manager.ImportSystemConfiguration",
        dell::import,
    )
    .about(Write::Boot),
    Route::action(
        "/redfish/v1/Managers/{manager}/Actions/Oem/EID_674_Manager.ExportSystemConfiguration",
        dell::export,
    )
    .of_service(),
];
