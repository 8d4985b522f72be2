//! Calls to the kernel about disks that nobody has wrapped.
#![allow(unsafe_code)]

use rustix::{fs::FileType, ioctl};
use std::{
    fs::File,
    io,
    os::{fd::AsRawFd, unix::fs::FileTypeExt},
    path::Path,
};
use tokio::process::Command;

const BLKRRPART: ioctl::Opcode = 0x125f;
const BLKDISCARD: ioctl::Opcode = 0x1277;
const BLKSECDISCARD: ioctl::Opcode = 0x127d;
const BLKPG: ioctl::Opcode = 0x1269;
const BLKFLSBUF: ioctl::Opcode = 0x1261;
const NVME_ADMIN: ioctl::Opcode = 0xc048_4e41;

/// Whether this is a disk and not a file that stands for one.
pub(super) fn is_device(file: &File) -> bool {
    file.metadata()
        .is_ok_and(|found| found.file_type().is_block_device())
}

/// The bytes of a sector; files have those of 512.
pub(super) fn sector_size(file: &File) -> u32 {
    let known = rustix::fs::fstat(file)
        .ok()
        .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice)
        .and_then(|_| rustix::fs::ioctl_blksszget(file).ok());
    known.filter(|size| *size >= 512).unwrap_or(512)
}

/// Makes the kernel read the partition table again.
pub(super) fn reread_partitions(file: &File) -> io::Result<()> {
    // SAFETY: the request takes no argument, and `NoArg` passes none.
    unsafe { ioctl::ioctl(file, ioctl::NoArg::<BLKRRPART>::new()) }.map_err(io::Error::from)
}

#[repr(C)]
struct BlkpgPartition {
    start: i64,
    length: i64,
    number: i32,
    names: [u8; 128],
}

#[repr(C)]
struct BlkpgArgument {
    operation: i32,
    flags: i32,
    length: i32,
    data: *mut BlkpgPartition,
}

/// Tells the kernel of one partition more, or that one is gone, where it cannot read the table
/// again because others are in use.
pub(super) fn tell_partition(
    file: &File,
    number: u32,
    place: Option<(u64, u64)>,
) -> io::Result<()> {
    let whole = |value: u64| i64::try_from(value).map_err(io::Error::other);
    let (start, length) = place.unwrap_or((0, 0));
    let mut partition = BlkpgPartition {
        start: whole(start)?,
        length: whole(length)?,
        number: i32::try_from(number).map_err(io::Error::other)?,
        names: [0; 128],
    };
    let argument = BlkpgArgument {
        operation: if place.is_some() { 1 } else { 2 },
        flags: 0,
        length: 152,
        data: &raw mut partition,
    };
    // SAFETY: the structures are the kernel's `blkpg_ioctl_arg` and `blkpg_partition`, and both
    // live until the call returns.
    unsafe { ioctl::ioctl(file, ioctl::Setter::<BLKPG, BlkpgArgument>::new(argument)) }
        .map_err(io::Error::from)
}

/// Tells a disk that a range is not needed; what it reads afterwards is up to the disk. The secure
/// kind promises that nothing can be recovered.
pub(super) fn discard(file: &File, offset: u64, length: u64, secure: bool) -> io::Result<()> {
    let range = [offset, length];
    // SAFETY: the requests read two 64-bit numbers, which is what the setters point to.
    let done = unsafe {
        if secure {
            ioctl::ioctl(file, ioctl::Setter::<BLKSECDISCARD, [u64; 2]>::new(range))
        } else {
            ioctl::ioctl(file, ioctl::Setter::<BLKDISCARD, [u64; 2]>::new(range))
        }
    };
    done.map_err(io::Error::from)
}

/// Forgets what is cached of a disk, so that reading asks the disk.
pub(super) fn drop_cache(file: &File) -> io::Result<()> {
    // SAFETY: the request takes no argument, and `NoArg` passes none.
    unsafe { ioctl::ioctl(file, ioctl::NoArg::<BLKFLSBUF>::new()) }.map_err(io::Error::from)
}

/// A command to the controller of an NVMe disk, as the kernel wants it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct NvmeAdmin {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    words_2: u32,
    words_3: u32,
    metadata: u64,
    address: u64,
    metadata_length: u32,
    length: u32,
    words_10: u32,
    rest: [u32; 5],
    timeout_ms: u32,
    result: u32,
}

// SAFETY: the structure is the kernel's `nvme_admin_cmd` of 72 bytes, which it reads and writes, and
// the pointer leads to it. Whoever sets a buffer sees to it that the buffer is there.
unsafe impl ioctl::Ioctl for NvmeAdmin {
    type Output = ioctl::IoctlOutput;
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> ioctl::Opcode {
        NVME_ADMIN
    }

    fn as_ptr(&mut self) -> *mut std::ffi::c_void {
        std::ptr::from_mut(self).cast()
    }

    unsafe fn output_from_ptr(
        status: ioctl::IoctlOutput,
        _: *mut std::ffi::c_void,
    ) -> rustix::io::Result<Self::Output> {
        Ok(status)
    }
}

/// What a call that the kernel carried out came to: it returns what the controller said, and only
/// zero is success. A disk that refused to erase itself would otherwise be taken for erased.
fn nvme_outcome(status: ioctl::IoctlOutput) -> io::Result<()> {
    match status {
        0 => Ok(()),
        status => Err(io::Error::other(format!(
            "the controller refused, status 0x{status:x}"
        ))),
    }
}

/// Sends a command without data to an NVMe controller.
pub(super) fn nvme_command(
    file: &File,
    opcode: u8,
    namespace: u32,
    argument: u32,
    timeout_ms: u32,
) -> io::Result<()> {
    let command = NvmeAdmin {
        opcode,
        namespace,
        words_10: argument,
        timeout_ms,
        ..NvmeAdmin::default()
    };
    // SAFETY: there is no buffer.
    nvme_outcome(unsafe { ioctl::ioctl(file, command) }?)
}

/// What an NVMe controller says about itself, or about one of its namespaces.
pub(super) fn nvme_identify(file: &File, namespace: Option<u32>) -> io::Result<Vec<u8>> {
    let mut answer = vec![0u8; 4096];
    let command = NvmeAdmin {
        opcode: 0x06,
        address: answer.as_mut_ptr() as u64,
        length: 4096,
        namespace: namespace.unwrap_or(0),
        words_10: u32::from(namespace.is_none()),
        ..NvmeAdmin::default()
    };
    // SAFETY: the buffer has the length that is told, and lives until the call returns.
    nvme_outcome(unsafe { ioctl::ioctl(file, command) }?)?;
    Ok(answer)
}

/// Makes a command see another directory as its root.
pub(super) fn within_root(command: &mut Command, root: &Path) {
    let root = root.to_owned();
    // SAFETY: between fork and exec only two system calls are made, on a path that was allocated
    // before; neither takes locks nor allocates.
    unsafe {
        command.pre_exec(move || {
            rustix::process::chroot(root.as_path())?;
            rustix::process::chdir(c"/")?;
            Ok(())
        });
    }
}

/// Loads a kernel that is started by a restart of the kind `KEXEC`.
pub(super) fn kexec_load(
    kernel: &File,
    initrd: Option<&File>,
    command_line: &str,
) -> io::Result<()> {
    const NO_INITRAMFS: libc::c_ulong = 4;
    let line = std::ffi::CString::new(command_line).map_err(io::Error::other)?;
    let flags = if initrd.is_some() { 0 } else { NO_INITRAMFS };
    // SAFETY: the descriptors are open for the time of the call, and the length includes the zero
    // that ends the text.
    let done = unsafe {
        libc::syscall(
            libc::SYS_kexec_file_load,
            libc::c_long::from(kernel.as_raw_fd()),
            libc::c_long::from(initrd.map_or(-1, AsRawFd::as_raw_fd)),
            line.as_bytes_with_nul().len(),
            line.as_ptr(),
            flags,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_that_refuses_is_not_taken_for_one_that_obeyed() {
        assert_eq!(size_of::<NvmeAdmin>(), 72);
        nvme_outcome(0).unwrap();
        // Invalid field in command, and do not retry.
        let refused = nvme_outcome(0x4002).unwrap_err().to_string();
        assert!(refused.contains("0x4002"), "{refused}");
    }
}
