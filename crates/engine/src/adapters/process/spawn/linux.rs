//! Starts the child on Linux in the memory of the server, see the module above.
//!
//! The calling thread waits until the child has executed its program or given up, as in `posix_spawn`; the
//! other threads go on. All signals are blocked meanwhile: a handler of the server must not run in the child.
#![expect(unsafe_code, reason = "clone and execve have no safe form")]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;
use std::sync::OnceLock;

use rustix::param::clock_ticks_per_second;
use rustix::process::{Pid, WaitOptions, waitpid};

use super::super::files;
use super::super::launch::{Launch, Stdio};
use super::super::note::{Born, Leader};
use super::super::notes::Note;
use super::child;

const STACK_BYTES: usize = 64 * 1024;
/// Only for kernels before 5.9, where descriptors are closed one by one.
const OLD_KERNEL_FDS_MAX: c_int = 65_536;

/// What the child is told, and what it tells back; both sides see the same memory.
struct Order {
    program: *const c_char,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    dir: *const c_char,
    stdio: [RawFd; 3],
    note: RawFd,
    sign_at: i64,
    session: bool,
    umask: Option<u32>,
    files: Option<libc::rlimit>,
    ticks_per_second: u64,
    born: Born,
    errno: c_int,
}

/// Starts the program; when this returns, it runs and its note is signed.
pub(crate) fn spawn(launch: &Launch, stdio: &Stdio, note: &Note) -> io::Result<Leader> {
    let (arguments, environment) = (pointers(&launch.arguments), pointers(&launch.environment));
    let ticks_per_second = clock_ticks_per_second();
    let mut order = Order {
        program: launch.program.as_ptr(),
        arguments: arguments.as_ptr(),
        environment: environment.as_ptr(),
        dir: launch.dir.as_ptr(),
        stdio: [stdio.stdin.as_raw_fd(), stdio.stdout.as_raw_fd(), stdio.stderr.as_raw_fd()],
        note: note.file().as_raw_fd(),
        sign_at: note.sign_at.cast_signed(),
        session: has_terminal(),
        umask: launch.umask,
        files: files::given(),
        ticks_per_second,
        born: Born { earliest: now_ticks(ticks_per_second), latest: 0 },
        errno: 0,
    };
    let pid = with_signals_blocked(|| clone(&mut order))?;
    if order.errno == 0 {
        return Ok(Leader { pid, born: order.born });
    }
    // It has exited already: this takes its status and does not wait.
    let _ = waitpid(Some(pid), WaitOptions::empty());
    Err(io::Error::from_raw_os_error(order.errno))
}

fn clone(order: &mut Order) -> io::Result<Pid> {
    let mut stack: Vec<MaybeUninit<u128>> = Vec::with_capacity(STACK_BYTES / size_of::<u128>());
    let top = stack.spare_capacity_mut().as_mut_ptr_range().end;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack grows down from `top`, is aligned and large enough for `become_program`, which only
    // makes system calls. CLONE_VFORK keeps this thread, and with it the stack and the order, until the
    // child has left this memory. No signal handler can run in the child: the caller has blocked all.
    let pid = unsafe { libc::clone(become_program, top.cast(), flags, ptr::from_mut(order).cast()) };
    let failure = io::Error::last_os_error();
    if pid < 0 { Err(failure) } else { Pid::from_raw(pid).ok_or(failure) }
}

extern "C" fn become_program(order: *mut c_void) -> c_int {
    // SAFETY: `clone` was given a valid and exclusive `Order`, and its owner waits.
    let order = unsafe { &mut *order.cast::<Order>() };
    let Err(errno) = follow(order);
    order.errno = errno;
    // SAFETY: ends this process without running anything of the server's.
    unsafe { libc::_exit(127) }
}

/// Follows the order, the note before anything that may take long; returns only if a step fails.
fn follow(order: &mut Order) -> Result<std::convert::Infallible, c_int> {
    child::reset_signals();
    child::lead(order.session)?;
    child::mask(order.umask);
    for (target, source) in (0..).zip(order.stdio) {
        // SAFETY: takes numbers only; the sources are above 2, so no target overwrites one.
        child::checked(unsafe { libc::dup2(source, target) })?;
    }
    order.born.latest = now_ticks(order.ticks_per_second);
    child::sign(order.note, order.sign_at, order.born)?;
    close_all_above_stdio();
    // SAFETY: a NUL-terminated path that outlives the call.
    child::checked(unsafe { libc::chdir(order.dir) })?;
    allow_signals()?;
    child::limit_files(order.files);
    // SAFETY: NUL-terminated strings and NULL-terminated arrays of them, all alive.
    unsafe { libc::execve(order.program, order.arguments, order.environment) };
    Err(child::errno())
}

/// Reads the clock that start times are told in, without a system call.
fn now_ticks(ticks_per_second: u64) -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the time is written to a buffer of its type; a zero stays if the clock is missing.
    let now = unsafe {
        libc::clock_gettime(libc::CLOCK_BOOTTIME, now.as_mut_ptr());
        now.assume_init()
    };
    let (seconds, nanoseconds) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    seconds.wrapping_mul(ticks_per_second) + nanoseconds * ticks_per_second / 1_000_000_000
}

/// Tells whether the server has a terminal. Its children must not: a question there would stop them for ever.
/// A session of their own takes it from them, but costs the kernel a scheduling group (30 to 100 µs).
fn has_terminal() -> bool {
    static HAS_TERMINAL: OnceLock<bool> = OnceLock::new();
    *HAS_TERMINAL.get_or_init(|| File::open("/dev/tty").is_ok())
}

/// Closes what the server has open; the child has a table of its own, so the server keeps it.
fn close_all_above_stdio() {
    // SAFETY: numbers only. The child needs none of these descriptors any more.
    let answer = unsafe { libc::syscall(libc::SYS_close_range, 3 as c_uint, c_uint::MAX, 0 as c_uint) };
    if answer != 0 {
        // SAFETY: numbers only.
        let limit = unsafe { libc::getdtablesize() }.min(OLD_KERNEL_FDS_MAX);
        for fd in 3..limit {
            // SAFETY: as above.
            unsafe { libc::close(fd) };
        }
    }
}

fn allow_signals() -> Result<(), c_int> {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` fills the set before it is read.
    child::checked(unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut())
    })
}

/// Runs `work` with all signals of this thread blocked, and restores them.
fn with_signals_blocked<T>(work: impl FnOnce() -> T) -> T {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` fills the first set, `pthread_sigmask` the second; it cannot fail with SIG_SETMASK.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let value = work();
    // SAFETY: `before` was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    value
}

/// Makes the NULL-terminated array of pointers that `execve` takes; it borrows from `texts`.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}
