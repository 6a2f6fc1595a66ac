//! The keyring, for commands that people wait for: a signal ends the command, and with it whatever is being asked.

use super::exit::Exit;
use super::follow::Signals;
use engine::secrets::Keyring;
use std::sync::Once;
use std::thread;

/// The keyring of whoever this process belongs to. From now on a signal ends its programs before it ends the process.
pub(crate) fn keyring() -> Keyring {
    static HEARD: Once = Once::new();
    // Without a thread for it a signal ends the process at once, as it does before.
    HEARD.call_once(|| drop(thread::Builder::new().name("signals".to_owned()).spawn(give_up)));
    Keyring::here()
}

fn give_up() {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let Ok(mut signals) = Signals::listen() else { return };
        signals.next().await;
        Keyring::give_up();
        std::process::exit(Exit::Interrupted as i32);
    });
}
