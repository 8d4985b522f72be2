//! Every route there is. The first row that fits a path wins.

use crate::{
    corten::events,
    route,
    route::Route,
    v1::{
        allocation, bios, chassis, children, conductor, driver, firmware, history, inventory, maintenance, management,
        node::{self, create, list, patch},
        node_states, port, provision, ramdisk, shard, traits, validate,
    },
};

/// The routes below `/v1`.
pub static ROUTES: &[Route] = &[
    // Nodes. What stands below one comes first; an unknown element is taken for `fields` (last).
    route!("nodes" => Get list::list, Post create::create, Patch node::no_ident, Delete node::no_ident),
    route!("nodes/detail", allow "DELETE, GET, PATCH, POST" => Get list::detail),
    route!("nodes/validate", allow "DELETE, GET, PATCH, POST" => Get validate::get_by_query),
    route!("nodes/{node}" => Get node::show, Post create::create_at, Patch patch::patch, Delete node::delete),
    route!("nodes/{node}/detail", allow "DELETE, GET, PATCH, POST" => Get list::no_detail),
    route!("nodes/{node}/validate", allow "DELETE, GET, PATCH, POST" => Get validate::get),
    route!("nodes/{node}/allocation" => Get allocation::get_of_node, Delete allocation::delete_of_node),
    route!("nodes/{node}/maintenance" => Put maintenance::put, Delete maintenance::delete),
    route!("nodes/{node}/states" => Get node_states::get),
    route!("nodes/{node}/states/power" => Put node_states::put_power),
    route!("nodes/{node}/states/provision" => Put provision::put),
    route!("nodes/{node}/states/raid" => Put node_states::put_raid),
    route!("nodes/{node}/states/boot_mode" => Put node_states::put_boot_mode),
    route!("nodes/{node}/states/secure_boot" => Put node_states::put_secure_boot),
    route!("nodes/{node}/states/console" => Get node_states::get_console, Put node_states::put_console),
    route!("nodes/{node}/management", allow "" =>),
    route!("nodes/{node}/management/boot_device", allow "" => Get management::get_boot_device, Put management::put_boot_device),
    route!("nodes/{node}/management/boot_device/supported", allow "" => Get management::get_supported),
    route!("nodes/{node}/management/inject_nmi", allow "" => Put management::put_inject_nmi),
    route!("nodes/{node}/management/indicators", allow "" => Get management::get_indicators),
    route!("nodes/{node}/management/indicators/{indicator}", allow "" => Get management::get_indicator, Put management::put_indicator),
    route!("nodes/{node}/traits" => Get traits::get, Put traits::put_all, Delete traits::delete_all),
    route!("nodes/{node}/traits/{trait}", allow "DELETE, GET, PUT" => Put traits::put_one, Delete traits::delete_one),
    route!("nodes/{node}/history" => Get history::list),
    route!("nodes/{node}/history/{event}" => Get history::get),
    route!("nodes/{node}/children" => Get children::list),
    route!("nodes/{node}/ports", allow "DELETE, GET, PATCH, POST" => Get port::list::of_node, Post port::create::create_below_node),
    route!("nodes/{node}/ports/detail", allow "DELETE, GET, PATCH, POST" => Get port::list::detail_of_node),
    route!("nodes/{node}/ports/{port}", allow "DELETE, GET, PATCH, POST" => Get port::no_single_port, Patch port::no_single_port, Delete port::no_single_port),
    route!("nodes/{node}/bios" => Get bios::list),
    route!("nodes/{node}/bios/{setting}" => Get bios::get),
    route!("nodes/{node}/firmware" => Get firmware::list),
    route!("nodes/{node}/inventory" => Get inventory::get),
    route!("nodes/{node}/{fields}", allow "DELETE, GET, PATCH, POST" => Get node::show_part, Delete node::no_such_part),
    // Ports.
    route!("ports" => Get port::list::list, Post port::create::create, Patch port::patch_without_ident, Delete port::delete_without_ident),
    route!("ports/detail", allow "DELETE, GET, PATCH, POST" => Get port::list::detail),
    route!("ports/{port}" => Get port::get, Post port::create::create_at, Patch port::patch::patch, Delete port::delete),
    // Chassis.
    route!("chassis" => Get chassis::list, Post chassis::create, Patch chassis::no_ident, Delete chassis::no_ident),
    route!("chassis/detail", allow "DELETE, GET, PATCH, POST" => Get chassis::list_detail),
    route!("chassis/nodes", allow "DELETE, GET, PATCH, POST" => Get chassis::nodes_of_none),
    route!("chassis/{chassis}" => Get chassis::get, Post chassis::create_at, Patch chassis::patch, Delete chassis::delete),
    route!("chassis/{chassis}/nodes", allow "DELETE, GET, PATCH, POST" => Get list::of_chassis),
    route!("chassis/{chassis}/nodes/detail", allow "DELETE, GET, PATCH, POST" => Get list::detail_of_chassis),
    route!("chassis/{chassis}/nodes/{node}", allow "DELETE, GET, PATCH, POST" => Get chassis::no_single_node, Patch chassis::no_single_node, Delete chassis::no_single_node),
    // Drivers and conductors.
    route!("drivers" => Get driver::list),
    route!("drivers/properties" => Get driver::no_name),
    route!("drivers/{driver}" => Get driver::get),
    route!("drivers/{driver}/properties" => Get driver::get_properties),
    route!("drivers/{driver}/raid/logical_disk_properties" => Get driver::get_raid_properties),
    route!("conductors" => Get conductor::list),
    route!("conductors/{conductor}" => Get conductor::get),
    // Shards.
    route!("shards" => Get shard::list),
    route!("shards/{shard}", allow "GET" => Get shard::get),
    // Ours alone.
    route!("corten/v1/events" => Get events::list),
    // Allocations.
    route!("allocations" => Get allocation::list, Post allocation::create, Patch allocation::no_ident, Delete allocation::no_ident),
    route!("allocations/{allocation}" => Get allocation::get, Patch allocation::patch, Delete allocation::delete),
    // What ramdisks ask.
    route!("lookup" => Get ramdisk::lookup),
    route!("heartbeat/{node}" => Post ramdisk::heartbeat),
];
