//! A script that was just written can be executed, whatever else is being started meanwhile: a child that is about to become its
//! program holds a copy of every descriptor, and a file that somebody may write is not executed ("Text file busy").

use super::*;
use crate::adapters::process::{Ended, Job, NoteSpec, Notes, Script, Stops, run};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// How often a script is written and executed.
const SCRIPTS: u32 = 50;

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn what_was_just_written_can_be_executed() {
    let world = Arc::new(World::new());
    let notes = Arc::new(Notes::open(&world.dir.path().join("data")).unwrap());
    let (over, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let job = {
        let (folder, count) = (world.home.folder.clone(), Arc::clone(&count));
        move |program: &str| {
            let effect = count.fetch_add(1, Ordering::Relaxed).to_string();
            let script = Script::Shell { program: program.to_owned(), args: Vec::new() };
            let mut job = Job::new(script, &folder, NoteSpec { run: "run".into(), effect });
            job.env = BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]);
            job
        }
    };
    let others: Vec<_> = (0..8)
        .map(|_| {
            let (over, notes, job) = (Arc::clone(&over), Arc::clone(&notes), job.clone());
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    run(&job("true"), &notes, Stops::never()).await;
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for number in 0..SCRIPTS {
        let (world, path) = (Arc::clone(&world), format!("{number}.sh"));
        let inputs = json!({"path": &path, "content": "#!/bin/sh\nexit 7\n", "permissions": "0755"});
        tokio::task::spawn_blocking(move || world.act("create", inputs).unwrap()).await.unwrap();
        let outcome = run(&job(&format!("./{path}")), &notes, Stops::never()).await;
        assert!(matches!(outcome.ended, Ended::Exited(7)), "{number}: {:?}", outcome.ended);
    }
    over.store(true, Ordering::Relaxed);
    for other in others {
        other.await.unwrap();
    }
}
