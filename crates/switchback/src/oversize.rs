//! A file that grows beyond what the system allows a process (`ulimit -f`): writing it then fails, as it does on a full disk, and
//! whoever writes says so. Without this the process would end without a word.

/// From now on a write that is too much is an error. What this process starts has the signal as it always is: a handler, unlike
/// one that is ignored, ends with the next program.
#[expect(unsafe_code, reason = "there is no safe way to set a handler before there is a runtime")]
pub(crate) fn is_an_error() {
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
