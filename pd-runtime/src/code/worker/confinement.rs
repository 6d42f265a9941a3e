//! Confinement of the worker process, before it reads a program: resource limits everywhere on
//! Unix; Landlock and seccomp on Linux.

use std::{fs::File, net::UdpSocket, process::Command};

/// The name of the filter of system calls, without which a process counts as unconfined.
const SECCOMP: &str = "seccomp";

/// The result of confining this process.
pub(super) struct Confinement {
    /// The means that apply.
    pub(super) means: Vec<String>,
    /// What the process can still do, and must not.
    pub(super) open_ways: Vec<String>,
}

/// Confines this process as far as the system can, and then tries to get out.
pub(super) fn confine(cpu_seconds: u64, memory_bytes: u64) -> Confinement {
    let means = apply(cpu_seconds, memory_bytes);
    let open_ways = open_ways(&means);
    Confinement { means, open_ways }
}

/// Applies all means. Returns the names of those that work here.
fn apply(cpu_seconds: u64, memory_bytes: u64) -> Vec<String> {
    let mut applied = Vec::new();
    #[cfg(target_os = "linux")]
    threads::wait_until_idle();
    #[cfg(unix)]
    // Before Landlock, which refuses to open `/proc`.
    let address_space = resources::address_space();
    // Before the resource limits, because it opens a file descriptor, which those refuse.
    #[cfg(target_os = "linux")]
    if linux::refuse_files_and_network() {
        applied.push("Landlock".to_owned());
    }
    #[cfg(unix)]
    if resources::limit(cpu_seconds, memory_bytes, address_space).is_ok() {
        applied.push("resource limits".to_owned());
    }
    // Last, because it forbids the calls that the others need.
    #[cfg(all(
        target_os = "linux",
        any(
            target_arch = "x86_64",
            target_arch = "aarch64",
            target_arch = "riscv64"
        )
    ))]
    if linux::filter_system_calls().is_ok() {
        applied.push(SECCOMP.to_owned());
    }
    #[cfg(not(unix))]
    let _ = (cpu_seconds, memory_bytes);
    applied
}

/// Returns what this process can still do and must not. It tries each that it can try.
///
/// Without the filter, an attempt that fails proves little: a process that can open nothing can
/// still delete files and signal processes. Such a process counts as unconfined.
fn open_ways(means: &[String]) -> Vec<String> {
    let ways = [
        ("open files", File::open("/").is_ok()),
        ("open sockets", UdpSocket::bind(("127.0.0.1", 0)).is_ok()),
        ("start processes", Command::new("/bin/true").spawn().is_ok()),
        (
            "make system calls",
            !means.iter().any(|means| means == SECCOMP),
        ),
    ];
    ways.into_iter()
        .filter(|(_, is_open)| *is_open)
        .map(|(way, _)| way.to_owned())
        .collect()
}

#[cfg(unix)]
mod resources {
    use rlimit::{Resource, setrlimit};

    /// The address space beside the engine's memory and what the process has at its start: for
    /// messages, and for what the allocator cannot reuse.
    const EXTRA_BYTES: u64 = 192 << 20;

    /// Sets the limits. The memory is the engine's. The system ends the process after this
    /// processor time, in seconds. The engine's own limit comes first; this one holds where the
    /// engine does not check it.
    pub(super) fn limit(
        cpu_seconds: u64,
        memory_bytes: u64,
        address_space: Option<u64>,
    ) -> std::io::Result<()> {
        // Open files stay open: the limit concerns new ones.
        for resource in [Resource::FSIZE, Resource::CORE, Resource::NOFILE] {
            setrlimit(resource, 0, 0)?;
        }
        // The soft limit sends SIGXCPU, and the hard one SIGKILL, which nothing can catch.
        setrlimit(Resource::CPU, cpu_seconds, cpu_seconds.saturating_add(1))?;
        // Some systems know no limit on processes.
        let _ = setrlimit(Resource::NPROC, 0, 0);
        // A limit below the size that the process has already would end it.
        if let Some(own) = address_space {
            let bytes = own.saturating_add(memory_bytes).saturating_add(EXTRA_BYTES);
            setrlimit(Resource::AS, bytes, bytes)?;
        }
        Ok(())
    }

    /// Returns the size of this process's address space, if `/proc` has it. An async runtime that
    /// started before reserves much of it for its threads.
    pub(super) fn address_space() -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmSize:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes << 10)
    }
}

#[cfg(target_os = "linux")]
mod threads {
    use std::{
        fs, thread,
        time::{Duration, Instant},
    };

    /// The time that the threads of an async runtime may take to start.
    const START_MAX: Duration = Duration::from_secs(1);

    /// Waits until all other threads of this process sleep. A thread that starts reserves memory by
    /// system calls, and panics if a limit or the filter refuses them.
    pub(super) fn wait_until_idle() {
        let deadline = Instant::now() + START_MAX;
        let mut were_idle = false;
        loop {
            let are_idle = others_sleep();
            // A thread that waits for a lock of its start sleeps, too, but not twice in a row.
            if (are_idle && were_idle) || Instant::now() >= deadline {
                return;
            }
            were_idle = are_idle;
            thread::sleep(Duration::from_micros(100));
        }
    }

    /// Returns whether no thread beside this one runs, or `true` if `/proc` is missing.
    fn others_sleep() -> bool {
        let Ok(tasks) = fs::read_dir("/proc/self/task") else {
            return true;
        };
        // This thread is the one that runs.
        tasks.flatten().filter(runs).count() <= 1
    }

    fn runs(task: &fs::DirEntry) -> bool {
        // A thread that ends meanwhile has no file, and counts as one that does not run.
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        // The state follows the thread's name, which may contain spaces and parentheses.
        stat.rsplit_once(") ")
            .is_some_and(|(_, state)| !state.starts_with('S'))
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus, Scope};
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ))]
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    /// Takes the right to open files and to connect from this thread and those that it starts.
    /// Returns whether the kernel does that.
    pub(super) fn refuse_files_and_network() -> bool {
        // No rule follows that allows anything, so every kind of access here is refused. An older
        // kernel knows fewer kinds, and refuses those.
        let ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(ABI::V6))
            .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(ABI::V6)))
            .and_then(|ruleset| ruleset.scope(Scope::from_all(ABI::V6)))
            .and_then(Ruleset::create)
            .and_then(landlock::RulesetCreated::restrict_self);
        ruleset.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
    }

    /// Allows the system calls that the engine needs, for all threads of the process. Every other
    /// call fails with `EPERM`.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel has no seccomp, or refuses the filter.
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ))]
    pub(super) fn filter_system_calls() -> Result<(), seccompiler::Error> {
        let mut rules: Vec<(i64, Vec<SeccompRule>)> = allowed_calls()
            .iter()
            .map(|call| (*call, Vec::new()))
            .collect();
        // Only the standard streams: the process may have inherited other descriptors.
        rules.push((libc::SYS_read, vec![on_descriptor(libc::STDIN_FILENO)?]));
        rules.push((
            libc::SYS_write,
            vec![
                on_descriptor(libc::STDOUT_FILENO)?,
                on_descriptor(libc::STDERR_FILENO)?,
            ],
        ));
        // Memory that is written is never run.
        for call in [libc::SYS_mmap, libc::SYS_mprotect] {
            rules.push((call, vec![without_execution()?]));
        }
        let filter = SeccompFilter::new(
            rules.into_iter().collect(),
            SeccompAction::Errno(libc::EPERM.unsigned_abs()),
            SeccompAction::Allow,
            std::env::consts::ARCH.try_into()?,
        )?;
        seccompiler::apply_filter_all_threads(&BpfProgram::try_from(filter)?)
    }

    /// Returns the calls that are allowed with any arguments: memory, waiting, clocks, and the end
    /// of the process. Threads that an async runtime started before finish their start, and then
    /// only wait.
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ))]
    fn allowed_calls() -> &'static [i64] {
        &[
            libc::SYS_brk,
            libc::SYS_munmap,
            libc::SYS_mremap,
            libc::SYS_madvise,
            libc::SYS_futex,
            libc::SYS_epoll_pwait,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_epoll_wait,
            libc::SYS_ppoll,
            libc::SYS_sched_yield,
            libc::SYS_clock_gettime,
            libc::SYS_clock_nanosleep,
            libc::SYS_getrandom,
            libc::SYS_rt_sigreturn,
            libc::SYS_rt_sigprocmask,
            libc::SYS_sigaltstack,
            libc::SYS_restart_syscall,
            libc::SYS_set_robust_list,
            libc::SYS_rseq,
            libc::SYS_sched_getaffinity,
            libc::SYS_gettid,
            libc::SYS_exit,
            libc::SYS_exit_group,
        ]
    }

    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ))]
    fn on_descriptor(descriptor: i32) -> Result<SeccompRule, seccompiler::BackendError> {
        let number = u64::from(descriptor.unsigned_abs());
        SeccompRule::new(vec![SeccompCondition::new(
            0,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Eq,
            number,
        )?])
    }

    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ))]
    fn without_execution() -> Result<SeccompRule, seccompiler::BackendError> {
        let execution = u64::from(libc::PROT_EXEC.unsigned_abs());
        // Argument 2 of both calls is `prot`.
        SeccompRule::new(vec![SeccompCondition::new(
            2,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::MaskedEq(execution),
            0,
        )?])
    }
}
