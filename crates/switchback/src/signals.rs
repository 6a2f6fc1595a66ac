//! Signals, as this process needs them whatever it was started with. A program that blocks or ignores some hands that on to whatever
//! it starts, and the first client hands it on to the daemon of all.
#![expect(unsafe_code, reason = "there is no safe way to set these before there is a runtime")]

use std::ptr;

/// To be called before there is a second thread.
pub(crate) fn settle() {
    nothing_is_blocked();
    ends_are_told();
    too_much_is_an_error();
}

/// A signal that is blocked would wait for ever: nobody could end this process, and nobody would hear of what it started.
fn nothing_is_blocked() {
    let mut none = std::mem::MaybeUninit::uninit();
    // SAFETY: `sigemptyset` fills the set; both cannot fail with these words.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
    }
}

/// Where the end of a child is ignored, the system forgets how it ended, and who waits for it learns nothing.
fn ends_are_told() {
    // SAFETY: SIG_DFL runs no code; one thread, so nobody else sets one.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// A file that grows beyond what the system allows a process (`ulimit -f`): writing it fails from now on, as it does on a full disk,
/// and whoever writes says so. Without this the process would end without a word. What this process starts has the signal as it
/// always is: a handler, unlike one that is ignored, ends with the next program.
fn too_much_is_an_error() {
    let nothing: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: the handler does nothing, so it is safe at any moment; one thread, so nobody else sets one.
    let before = unsafe { libc::signal(libc::SIGXFSZ, nothing as libc::sighandler_t) };
    if before == libc::SIG_IGN {
        // Whoever started us wants that for us and for what we start.
        // SAFETY: as above.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
}

extern "C" fn nothing(_signal: libc::c_int) {}
