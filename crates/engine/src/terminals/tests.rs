//! The keeper with real shells.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::turn::Home;

struct World {
    keeper: Keeper,
    visitor: Visitor,
    data: TempDir,
    _folder: TempDir,
}

async fn world() -> World {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = std::env::var("PATH").unwrap();
    let env = [("PATH".to_owned(), path), ("PS1".to_owned(), "$ ".to_owned())];
    let home =
        Home { folder: folder.path().to_owned(), env: std::sync::Arc::new(env.into()), ..Home::default() };
    let visitor = Visitor { home, by: "test".to_owned(), run: None, policy: Policy::default() };
    let (keeper, said) = Keeper::open(data.path(), Duration::ZERO).await.unwrap();
    assert!(said.is_empty(), "{said:?}");
    World { keeper, visitor, data, _folder: folder }
}

impl World {
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let (keeper, visitor) = (self.keeper.clone(), self.visitor.clone());
        let request = Request::read(tool, arguments).unwrap();
        let call = move || Answer::document(&keeper.carry_out(&visitor, &request, None, &CallOff::default()));
        tokio::task::spawn_blocking(call).await.unwrap()
    }

    async fn open(&self) -> String {
        let opened = self.call("open_terminal", json!({"shell": "bash --norc --noprofile"})).await;
        assert_eq!(opened["success"], true, "{opened:#}");
        opened["session_id"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_session_is_opened_typed_into_and_ended() {
    let world = world().await;
    let id = world.open().await;
    assert_eq!(id, "t1");
    let sent = world.call("send_input", json!({"session_id": id, "input_text": "echo $((6*7))\n"})).await;
    assert_eq!(sent["success"], true, "{sent:#}");
    let wait = json!({"session_id": id, "pattern": r"^(?P<all>\d+)$", "timeout": 30});
    let waited = world.call("await_output", wait).await;
    assert_eq!(
        (&waited["match_text"], &waited["named_groups"]["all"]),
        (&json!("42"), &json!("42")),
        "{waited:#}"
    );
    assert_eq!(*world.keeper.count().borrow(), 1);
    let exited = world.call("exit_terminal", json!({"session_id": id})).await;
    assert_eq!(exited["success"], true, "{exited:#}");
    assert_eq!(world.call("list_terminal_sessions", json!({})).await["total_sessions"], 0);
    assert_eq!(*world.keeper.count().borrow(), 0);
    assert_eq!(world.open().await, "t2");
    world.keeper.close().await;
}

#[tokio::test]
async fn what_ends_by_itself_can_still_be_looked_at_and_is_no_longer_noted() {
    let world = world().await;
    let opened =
        world.call("open_terminal", json!({"shell": "sh", "arguments": ["-c", "echo done; exit 3"]})).await;
    let mut count = world.keeper.count();
    count.wait_for(|count| *count == 0).await.unwrap();
    let shown = world.call("get_screen_content", json!({"session_id": opened["session_id"]})).await;
    assert_eq!((&shown["screen_content"], &shown["ended"]), (&json!("done"), &json!("exit code 3")));
    let refused = world.call("send_input", json!({"session_id": "t1", "input_text": "x"})).await;
    assert_eq!(
        (&refused["success"], &refused["code"]),
        (&json!(false), &json!("session-ended")),
        "{refused:#}"
    );
    world.keeper.close().await;
    let (next, said) = Keeper::open(world.data.path(), Duration::ZERO).await.unwrap();
    assert!(said.is_empty() && next.rows(None).is_empty());
}

#[tokio::test]
async fn what_a_stop_ends_is_remembered_as_lost() {
    let world = world().await;
    let id = world.open().await;
    world.keeper.close().await;
    let refused = world.call("open_terminal", json!({})).await;
    assert_eq!(refused["code"], "server-ends");
    let (next, said) = Keeper::open(world.data.path(), Duration::ZERO).await.unwrap();
    assert!(said.is_empty(), "{said:?}");
    let world = World { keeper: next, ..world };
    let listed = world.call("list_terminal_sessions", json!({})).await;
    assert_eq!((&listed["total_sessions"], &listed["sessions"][0]["status"]), (&json!(0), &json!("lost")));
    let refused = world.call("send_input", json!({"session_id": id, "input_text": "x"})).await;
    assert_eq!(refused["code"], "session-lost");
    assert!(refused["error"].as_str().unwrap().contains("the server was stopped at"), "{refused:#}");
    assert_eq!(world.call("exit_terminal", json!({"session_id": id})).await["success"], true);
    assert_eq!(world.call("exit_terminal", json!({"session_id": id})).await["code"], "no-session");
    assert_eq!(world.open().await, "t2");
    world.keeper.close().await;
}

#[tokio::test]
async fn a_session_belongs_to_its_folder_and_there_are_only_so_many() {
    let mut world = world().await;
    world.visitor.policy.sessions_max = 1;
    let id = world.open().await;
    let refused = world.call("open_terminal", json!({})).await;
    assert_eq!((&refused["code"], &refused["open_sessions"]), (&json!("too-many-sessions"), &json!([id])));
    world.visitor.home.folder = "/".into();
    let refused = world.call("get_screen_content", json!({"session_id": id})).await;
    assert_eq!((&refused["code"], &refused["open_sessions"]), (&json!("no-session"), &json!([])));
    world.open().await;
    world.keeper.close().await;
}

#[tokio::test]
async fn while_a_person_holds_it_the_agent_waits() {
    let world = world().await;
    let id = world.open().await;
    let held = world.keeper.attach(&id, Some(("ada".to_owned(), 100, 30))).unwrap();
    for (tool, more) in [("send_input", json!("x")), ("exit_terminal", Value::Null)] {
        let refused = world.call(tool, json!({"session_id": id, "input_text": more})).await;
        assert_eq!(refused["code"], "held-by-human", "{refused:#}");
        assert!(refused["error"].as_str().unwrap().contains("ada, since 20"), "{refused:#}");
    }
    assert!(world.keeper.attach(&id, Some(("eve".to_owned(), 80, 24))).is_err());
    let looks = world.keeper.attach(&id, None).unwrap();
    assert!(looks.types("x").is_err());
    let (typing, seen) = tokio::task::spawn_blocking(move || {
        held.types("echo by hand\r").unwrap();
        let mut frame = looks.frame(None, Duration::ZERO);
        while !frame.rows.iter().any(|row| row == "by hand") {
            frame = looks.frame(Some(frame.end), Duration::from_secs(30));
        }
        (held, frame)
    })
    .await
    .unwrap();
    assert_eq!(seen.size, (100, 30));
    drop(typing);
    let sent = world.call("send_input", json!({"session_id": id, "input_text": "true\n"})).await;
    assert_eq!(sent["success"], true);
    assert_eq!(world.call("list_terminal_sessions", json!({})).await["sessions"][0]["size"], "120x40");
    world.keeper.close().await;
}
