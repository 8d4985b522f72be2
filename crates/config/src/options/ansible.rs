//! Deployment by playbooks.

use crate::{Seconds, section::section};
use std::path::PathBuf;

section! {
    /// Deployment by playbooks of Ansible.
    Ansible = "ansible" {
        /// The program that runs playbooks.
        acts ansible_playbook_script: String = "ansible-playbook",
        /// More arguments for it.
        acts ansible_extra_args: Option<String>,
        /// How much playbooks tell; unset is nothing more than usual, and everything with
        /// `[DEFAULT]debug`.
        acts verbosity: Option<u32> [..=4],
        /// Folder of playbooks, roles and the inventory; built in if unset.
        acts playbooks_path: Option<PathBuf>,
        /// Configuration file of Ansible; built in if unset.
        acts config_file_path: Option<PathBuf>,
        /// Seconds between looks whether a machine is off after its deployment.
        acts post_deploy_get_power_state_retry_interval: Seconds [0..] = "5",
        /// How many times to look again.
        acts post_deploy_get_power_state_retries: u32 [0..] = "6",
        /// Memory in MiB that a machine needs besides the image.
        acts extra_memory: u32 [0..] = "10",
        /// Whether machines fetch images from servers whose certificate they cannot verify.
        acts image_store_insecure: bool = "false",
        /// Authorities that machines trust when they fetch images: a file of the ramdisk.
        acts image_store_cafile: Option<String>,
        /// Certificate that machines show when they fetch images: a file of the ramdisk.
        acts image_store_certfile: Option<String>,
        /// Its key: a file of the ramdisk.
        acts image_store_keyfile: Option<String>,
        /// User of the ramdisk that playbooks log in as.
        acts default_username: String = "ansible",
        /// File with the private SSH key of that user.
        acts default_key_file: Option<PathBuf>,
        /// Playbook that deploys.
        acts default_deploy_playbook: String = "deploy.yaml",
        /// Playbook that shuts a machine down.
        acts default_shutdown_playbook: String = "shutdown.yaml",
        /// Playbook that cleans.
        acts default_clean_playbook: String = "clean.yaml",
        /// File with the steps of a cleaning.
        acts default_clean_steps_config: String = "clean_steps.yaml",
        /// Path of Python in ramdisks.
        acts default_python_interpreter: Option<String>,
    }
}
