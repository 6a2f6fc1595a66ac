//! The programs that workflows commonly need, and whether `switchback` itself is the one that is found.

use super::finding::Finding;
use crate::cli::install::Here;

pub(super) fn look(here: &Here) -> Vec<Finding> {
    vec![shells(here), ourselves(here)]
}

fn shells(here: &Here) -> Finding {
    let needed = ["sh", "bash", "git"];
    let (found, missing): (Vec<&str>, Vec<&str>) =
        needed.iter().partition(|name| here.program(name).is_some());
    let zsh = match here.program("zsh") {
        Some(_) => ", zsh",
        None => "; zsh not found (only needed for zsh terminals)",
    };
    let subject = "programs";
    if missing.contains(&"sh") {
        let detail = "sh is not found on PATH, and Shell blocks need it";
        return Finding::fail(subject, detail)
            .mend("put the folder it lies in on PATH: PATH=/bin:/usr/bin:$PATH");
    }
    if missing.is_empty() {
        return Finding::ok(subject, format!("found {}{zsh}", found.join(", ")));
    }
    let detail = format!("{} not found; workflows that use it will fail", missing.join(" and "));
    Finding::warn(subject, detail).mend(format!("install {}, or put it on PATH", missing.join(" and ")))
}

fn ourselves(here: &Here) -> Finding {
    let subject = "PATH";
    let binary = here.called.display();
    match here.program("switchback") {
        Some(found) if here.is_this("switchback") => {
            Finding::ok(subject, format!("`switchback` is {}", here.shown(&found)))
        }
        Some(found) => {
            Finding::warn(subject, format!("`switchback` is {}, and this is {binary}", here.shown(&found)))
                .mend("put the folder of the one you want first, or remove the other")
        }
        None => {
            let folder = here.called.parent().unwrap_or(&here.called).display();
            Finding::warn(subject, format!("`switchback` is not found there; this is {binary}"))
                .mend(format!("mend with: export PATH=\"{folder}:$PATH\""))
        }
    }
}
