//! What a bot may not ask of the kernel. A list of refusals: bots come in any language, and no list of what all their
//! run-times need would ever be complete.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter, sock_filter,
};

/// Refused as not permitted.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // Which core it runs on: bots of other matches have theirs.
    libc::SYS_sched_setaffinity,
    // The file system and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    // The host's clock and name.
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// Refused as unknown, so that libraries take the older call: its arguments lie in memory, where no filter sees them.
const UNKNOWN: &[i64] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Applies the filters to the calling thread, for good.
pub fn filter() -> Result<(), String> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let when = |argument, operator, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map(|rule| vec![rule])
            .map_err(|error| error.to_string())
    };
    // Every kind of socket but a local one: a network namespace does not hold all of them.
    let local = libc::AF_UNIX as u64;
    refused.insert(libc::SYS_socket, when(0, SeccompCmpOp::Ne, local)?);
    let user = libc::CLONE_NEWUSER as u64;
    refused.insert(libc::SYS_clone, when(0, SeccompCmpOp::MaskedEq(user), user)?);
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    for (rules, errno) in [(refused, libc::EPERM), (unknown, libc::ENOSYS)] {
        apply(rules, errno)?;
    }
    Ok(())
}

fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<(), String> {
    let arch = std::env::consts::ARCH
        .try_into()
        .map_err(|_| format!("no filter for {}", std::env::consts::ARCH))?;
    let action = SeccompAction::Errno(errno as u32);
    let filter: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)
        .and_then(TryInto::try_into)
        .map_err(|error| error.to_string())?;
    let program: BpfProgram = no_x32().into_iter().chain(filter).collect();
    apply_filter(&program).map_err(|error| error.to_string())
}

/// On x86-64: refuses the calls of the x32 convention, which are the same calls by other numbers.
fn no_x32() -> BpfProgram {
    const X32_BIT: u32 = 0x4000_0000;
    if !cfg!(target_arch = "x86_64") {
        return Vec::new();
    }
    let instruction = |code: u32, jump_else, value| sock_filter {
        code: code as u16,
        jt: 0,
        jf: jump_else,
        k: value,
    };
    vec![
        // The number of the call is the first word of what a filter is given.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32_BIT),
        instruction(
            libc::BPF_RET | libc::BPF_K,
            0,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
        ),
    ]
}
