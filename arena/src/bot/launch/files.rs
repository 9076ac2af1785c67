//! The file system that a bot sees: the system's directories and its own files to read, a scratch directory to write.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{chdir, pivot_root};

use super::spec::Spec;

/// The scratch directory in the bot's file system.
pub const SCRATCH: &str = "/tmp";

/// The system's directories that a bot sees, where there are such.
pub const SYSTEM: [&str; 9] = [
    "/bin", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/sbin", "/usr",
];

/// The mode of a directory that is there to be listed.
const OPEN: u32 = 0o755;

/// The mode of a directory that is only on the way to another.
const PASSAGE: u32 = 0o111;

/// Devices without a memory.
pub const DEVICES: [&str; 5] = ["/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];

/// What a bot of an arena that is root could read of them, and should not.
const SECRETS: [&str; 8] = [
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/sudoers.d",
];

/// Files through which root could touch the host though it has no rights.
const KERNEL: [&str; 4] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus"];

/// Puts the calling process into a mount namespace with a root of its own.
pub fn own_root(spec: &Spec) -> Result<(), String> {
    nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNS).map_err(|error| format!("no mount namespace: {error}"))?;
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).map_err(|error| format!("`/`: {error}"))?;
    let root = &spec.scratch;
    tmpfs(root, "mode=755,size=4m")?;
    // First, as the bot's own files may lie below it.
    let scratch = within(root, Path::new(SCRATCH));
    make_dir(&scratch, OPEN)?;
    tmpfs(&scratch, &format!("mode=700,size={}m", spec.limits.scratch_mib))?;
    for dir in SYSTEM.map(Path::new) {
        match fs::read_link(dir) {
            Ok(target) => {
                symlink(target, within(root, dir)).map_err(|error| format!("`{}`: {error}", dir.display()))?;
            }
            Err(_) if dir.is_dir() => read_only(dir, &within(root, dir))?,
            Err(_) => {}
        }
    }
    for path in &spec.visible {
        read_only(path, &within(root, path))?;
    }
    // Something to cover others with, that nobody may read.
    let cover = root.join(".nothing");
    fs::write(&cover, "").map_err(|error| format!("`{}`: {error}", cover.display()))?;
    fs::set_permissions(&cover, fs::Permissions::from_mode(0o0))
        .map_err(|error| format!("`{}`: {error}", cover.display()))?;
    for path in SECRETS
        .iter()
        .map(Path::new)
        .chain(spec.hidden.iter().map(PathBuf::as_path))
    {
        hide(&within(root, path), &cover)?;
    }
    for device in DEVICES.map(Path::new).into_iter().filter(|device| device.exists()) {
        bind(device, &within(root, device), MsFlags::empty())?;
    }
    for (link, target) in [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/shm", SCRATCH),
        ("/var/tmp", SCRATCH),
    ] {
        let link = within(root, Path::new(link));
        make_parents(&link)?;
        symlink(target, &link).map_err(|error| format!("`{}`: {error}", link.display()))?;
    }
    let proc = within(root, Path::new("/proc"));
    make_dir(&proc, OPEN)?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), &proc, Some("proc"), flags, none).map_err(|error| format!("`/proc`: {error}"))?;
    for path in KERNEL.map(Path::new).into_iter().filter(|path| path.exists()) {
        let path = within(root, path);
        // In a user namespace the kernel refuses writing there anyway, and may refuse this too.
        let _ = bind(&path, &path, MsFlags::MS_RDONLY);
    }
    // Where the bot's directory is not shown it is there and empty.
    make_dir(&within(root, &spec.dir), OPEN)?;
    enter(root)
}

/// Makes `root` the root, and lets go of the old one.
fn enter(root: &Path) -> Result<(), String> {
    let failed = |error: nix::Error| format!("cannot enter the new root: {error}");
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_BIND;
    chdir(root).map_err(failed)?;
    pivot_root(".", ".").map_err(failed)?;
    umount2(".", MntFlags::MNT_DETACH).map_err(failed)?;
    chdir("/").map_err(failed)?;
    mount(None::<&str>, "/", None::<&str>, flags, None::<&str>).map_err(failed)
}

fn within(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn read_only(path: &Path, target: &Path) -> Result<(), String> {
    bind(
        path,
        target,
        MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV,
    )
}

/// Shows `path` at `target`, which is made.
fn bind(path: &Path, target: &Path, flags: MsFlags) -> Result<(), String> {
    let failed = |error: nix::Error| format!("cannot show `{}`: {error}", path.display());
    if path.is_dir() {
        make_dir(target, PASSAGE)?;
    } else if !target.exists() {
        make_parents(target)?;
        fs::write(target, "").map_err(|error| format!("`{}`: {error}", target.display()))?;
    }
    let none = None::<&str>;
    mount(Some(path), target, none, MsFlags::MS_BIND | MsFlags::MS_REC, none).map_err(failed)?;
    if flags.is_empty() {
        return Ok(());
    }
    // A user namespace may not take off what the host has put on a mount.
    let kept = statvfs(target).map(|found| found.flags()).unwrap_or(FsFlags::empty());
    let kept = [
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ]
    .into_iter()
    .filter(|(on, _)| kept.contains(*on))
    .fold(MsFlags::empty(), |all, (_, flag)| all | flag);
    mount(
        none,
        target,
        none,
        MsFlags::MS_BIND | MsFlags::MS_REMOUNT | flags | kept,
        none,
    )
    .map_err(failed)
}

/// Covers a path with something empty; a path that is not there needs no cover.
fn hide(target: &Path, cover: &Path) -> Result<(), String> {
    if target.is_dir() {
        tmpfs(target, "mode=0,size=4k,ro")
    } else if target.exists() {
        read_only(cover, target)
    } else {
        Ok(())
    }
}

fn tmpfs(target: &Path, options: &str) -> Result<(), String> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), target, Some("tmpfs"), flags, Some(options)).map_err(|error| {
        format!(
            "cannot mount a file system in memory at `{}`: {error}",
            target.display()
        )
    })
}

fn make_dir(dir: &Path, mode: u32) -> Result<(), String> {
    let made = fs::DirBuilder::new().recursive(true).mode(mode).create(dir);
    made.map_err(|error| format!("`{}`: {error}", dir.display()))
}

fn make_parents(path: &Path) -> Result<(), String> {
    path.parent().map_or(Ok(()), |dir| make_dir(dir, PASSAGE))
}
