"""One conversation of the Python SDK with the server: prints what was seen, as one JSON document.

usage: conversation.py SCENE ERA, in the project folder, with SWITCHBACK_BINARY and SWITCHBACK_HOME set.
What must have been seen is written where the scenes of all SDKs are checked, not here.
"""

import json
import os
import signal
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import mcp_types as types
from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

HOME = Path(os.environ["SWITCHBACK_HOME"])


def server():
    env = {"SWITCHBACK_HOME": str(HOME)}
    return StdioServerParameters(command=os.environ["SWITCHBACK_BINARY"], args=["serve"], env=env)


@asynccontextmanager
async def connect(era, human=None):
    """A session in an era. One that is pinned asks nothing before its first request. A human can be asked if there is one."""
    modes = {"2025-11-25": "legacy", "2026-07-28": "auto", "pinned": "2026-07-28"}
    if era in modes:
        async with Client(server(), mode=modes[era], elicitation_callback=human) as client:
            # Only the client itself answers what is asked in a result.
            yield client if human else client.session
        return
    # The SDK itself offers only the newest of the versions that open with `initialize`.
    streams = stdio_client(server())
    async with streams as both, ClientSession(*both, elicitation_callback=human) as session:
        about = types.Implementation(name="conversation", version="1")
        abilities = types.ClientCapabilities(elicitation=types.ElicitationCapability() if human else None)
        params = types.InitializeRequestParams(
            protocol_version=era, capabilities=abilities, client_info=about
        )
        opened = await session.send_request(types.InitializeRequest(params=params), types.InitializeResult)
        session.adopt(opened)
        await session.send_notification(types.InitializedNotification())
        yield session


async def call(session, tool, progress=None, **arguments):
    result = await session.call_tool(tool, arguments, progress_callback=progress)
    return {
        "is_error": bool(result.is_error),
        "structured": result.structured_content,
        "texts": [block.text for block in result.content if block.type == "text"],
    }


class Told:
    """Progress as it was told; `begun` is set at the first word."""

    def __init__(self):
        self.said = []
        self.begun = anyio.Event()

    async def __call__(self, progress, total, message):
        self.said.append({"progress": progress, "total": total, "message": message})
        self.begun.set()


async def until(what, holds):
    deadline = time.monotonic() + 20
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"never: {what}")
        await anyio.sleep(0.01)


def mark(name):
    path = Path(f"{name}.began")
    return len(path.read_text().splitlines()) if path.exists() else 0


def let_go(name):
    Path(f"{name}.go").touch()


async def look(era):
    async with connect(era) as session:
        about = session.server_info
        tools = (await session.list_tools()).tools
        resources = (await session.list_resources()).resources
        templates = (await session.list_resource_templates()).resource_templates
        prompts = (await session.list_prompts()).prompts
        prompt = await session.get_prompt("workflow_help", {"workflow_name": "greet"})
        reference = types.PromptReference(type="ref/prompt", name="workflow_help")
        completed = await session.complete(reference, {"name": "workflow_name", "value": "gr"})
        read = {}
        for uri in ["workflow://list", "workflow://definition/greet", "switchback://run/nobody"]:
            try:
                read[uri] = (await session.read_resource(uri)).contents[0].text
            except MCPError as error:
                read[uri] = {"code": error.error.code, "message": error.error.message}
        return {
            "version": session.protocol_version,
            "server": about and {"name": about.name, "title": about.title, "version": about.version},
            "instructions": session.instructions,
            "capabilities": session.server_capabilities.model_dump(by_alias=True, exclude_none=True),
            "tools": [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools],
            "resources": [resource.uri for resource in resources],
            "templates": [template.uri_template for template in templates],
            "prompts": [one.model_dump(by_alias=True, exclude_none=True, mode="json") for one in prompts],
            "prompt": prompt.messages[0].content.text,
            "completed": completed.completion.values,
            "read": read,
        }


async def work(era):
    async with connect(era) as session:
        told = Told()
        greet = {"workflow": "greet", "inputs": {"who": "you"}}
        seen = {"version": session.protocol_version}
        seen["greet"] = await call(session, "execute_workflow", told, **greet)
        seen["progress"] = told.said
        seen["breaks"] = await call(session, "execute_workflow", workflow="breaks")
        seen["unknown"] = await call(session, "execute_workflow", workflow="graet")
        seen["missing"] = await call(session, "execute_workflow", workflow="greet")
        seen["unknown_tool"] = await call(session, "execute_workflw")
        seen["keyed"] = [await call(session, "execute_workflow", **greet, request_key="once") for _ in range(2)]
        greet["inputs"] = {"who": "me"}
        seen["keyed_otherwise"] = await call(session, "execute_workflow", **greet, request_key="once")
        run = seen["greet"]["structured"]["workflow_id"]
        seen["run"] = json.loads((await session.read_resource(f"switchback://run/{run}")).contents[0].text)
        return seen


async def ask(era):
    """A human who says yes, then where; and one who closes what they are asked."""
    asked, answers = [], [{"response": True}, {"response": "production"}]

    async def human(context, params):
        asked.append({"message": params.message, "schema": params.requested_schema})
        if len(asked) > len(answers):
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content=answers[len(asked) - 1])

    async with connect(era, human) as session:
        said = await call(session, "execute_workflow", workflow="asks")
        closed = await call(session, "execute_workflow", workflow="asks")
        run = closed["structured"]["workflow_id"]
        relayed = await call(session, "resume_workflow", workflow_id=run, response=False, wait_seconds=0)
        return {"version": session.protocol_version, "said": said, "closed": closed, "relayed": relayed, "asked": asked}


async def dropped(session, name):
    """A call of a run that waits, cancelled once the run has begun."""
    told = Told()
    async with anyio.create_task_group() as tasks:
        inputs = {"mark": name}
        tasks.start_soon(lambda: call(session, "execute_workflow", told, workflow="waits", inputs=inputs))
        await told.begun.wait()
        await until("the run begins", lambda: mark(name) == 1)
        tasks.cancel_scope.cancel()
    return told.said


async def found(session, word="running"):
    runs = (await call(session, "get_workflow_status"))["structured"]["runs"]
    return [run["workflow_id"] for run in runs if run["status"] == word]


async def cancel(era):
    async with connect(era) as session:
        seen = {"version": session.protocol_version}
        seen["told"] = await dropped(session, "goes-on")
        run, = await found(session)
        seen["goes_on"] = await call(session, "get_workflow_status", workflow_id=run)
        let_go("goes-on")
        seen["ended"] = await call(session, "get_workflow_status", workflow_id=run, wait_seconds=30)
        await dropped(session, "is-ended")
        run, = await found(session)
        seen["cancelled"] = await call(session, "cancel_workflow", workflow_id=run, reason="not wanted")
        seen["again"] = await call(session, "cancel_workflow", workflow_id=run)
        return seen


async def reconnect(era):
    async with anyio.create_task_group() as tasks:
        async with connect(era) as session:
            told = Told()
            inputs = {"mark": "left"}

            async def ask():
                try:
                    await call(session, "execute_workflow", told, workflow="waits", inputs=inputs)
                except MCPError:
                    pass

            tasks.start_soon(ask)
            await told.begun.wait()
            await until("the run begins", lambda: mark("left") == 1)
            began = time.monotonic()
        seen = {"closed_after": time.monotonic() - began}
        tasks.cancel_scope.cancel()
    async with connect(era) as session:
        seen["version"] = session.protocol_version
        run, = await found(session)
        seen["found"] = await call(session, "get_workflow_status", workflow_id=run)
        told = Told()
        async with anyio.create_task_group() as tasks:

            async def ended():
                seen["ended"] = await call(session, "get_workflow_status", told, workflow_id=run, wait_seconds=30)

            tasks.start_soon(ended)
            let_go("left")
        seen["told"] = told.said
        return seen


def daemon():
    return int((HOME / "daemon.pid").read_text())


def kill_daemon():
    """Ends the daemon as a crash would."""
    pid = daemon()
    os.kill(pid, signal.SIGKILL)
    return pid


async def killed_under(session, workflow, name):
    """A call in flight whose daemon is killed once the run has begun."""
    told, seen = Told(), {}
    async with anyio.create_task_group() as tasks:

        async def ask():
            seen["answer"] = await call(
                session, "execute_workflow", told, workflow=workflow, inputs={"mark": name}
            )

        tasks.start_soon(ask)
        await told.begun.wait()
        await until("the run begins", lambda: mark(name) == 1)
        kill_daemon()
        if workflow == "waits":
            await until("the step begins again", lambda: mark(name) == 2)
            let_go(name)
    seen["told"] = told.said
    return seen


async def crash(era):
    async with connect(era) as session:
        seen = {"version": session.protocol_version}
        seen["before"] = await call(session, "list_workflows")
        seen["first"] = kill_daemon()
        seen["after"] = await call(session, "list_workflows")
        seen["second"] = daemon()
        seen["retried"] = await killed_under(session, "waits", "retried")
        seen["doubted"] = await killed_under(session, "doubts", "doubted")
        seen["tools"] = len((await session.list_tools()).tools)
        return seen


async def plan(era):
    """interactive-planning from beginning to end: a person who is asked in forms, an agent, and a sub-agent for each question."""
    said = []

    async def human(context, params):
        answer = "A way to sign in" if "plan?" in params.message else True
        said.append({"who": "person", "asked": params.message, "answer": answer})
        return types.ElicitResult(action="accept", content={"response": answer})

    async def step(session, who, tool, **arguments):
        said.append({"who": who, "call": tool, "with": arguments})
        answered = (await call(session, tool, **arguments))["structured"]
        said.append({"who": "server", "answer": answered})
        return answered

    thought = {
        "generate-research-tasks": '["How are people signed in today?", "Which providers are there?"]',
        "generate-initial-plan": "# Signing in\n1. Sessions in cookies\n2. One provider",
        "review-plan": "Say how a session ends.",
        "finalize-plan": "# Signing in\nWhat changed: sessions end after a day.\n1. Sessions in cookies\n2. One provider",
    }
    tools = {
        "web_search": {"urls": ["https://example.org/a", "https://example.org/b"]},
        "analyze_text": {"result": "Cookies, set by the server."},
        "save_to_memory": {"saved": True},
    }

    async def sub_agent(run):
        async with connect(era) as session:
            at = await step(session, "sub-agent", "get_next_step", workflow_id=run)
            while "step_id" in at:
                answered = await step(
                    session,
                    "sub-agent",
                    "submit_step_result",
                    workflow_id=run,
                    step_id=at["step_id"],
                    attempt=at["attempt"],
                    result=tools[at["tool"]],
                )
                at = answered.get("step", answered)

    async with connect(era, human) as session:
        at = await step(session, "agent", "start_workflow", workflow="interactive-planning", inputs={"max_research_tasks": 2})
        run = at["workflow_id"]
        while at["status"] not in ("complete", "succeeded", "failed"):
            action = at["action"]
            if action["type"] == "foreach":
                for item in action["parameters"]["items"]:
                    await sub_agent(item["workflow_id"])
                since = int(at["next"].split("since=")[1].split(")")[0])
                at = await step(
                    session, "agent", "get_workflow_status", workflow_id=run, wait_seconds=45, since=since
                )
                continue
            result = (
                tools[action["parameters"]["tool"]]
                if action["type"] == "mcp_call"
                else {"response": thought[action["step_id"]]}
            )
            at = await step(
                session,
                "agent",
                "submit_result",
                workflow_id=run,
                step_id=action["step_id"],
                attempt=action["attempt"],
                result=result,
            )
        return {"version": session.protocol_version, "run": run, "said": said}


SCENES = {"plan": plan, "look": look, "work": work, "ask": ask, "cancel": cancel, "reconnect": reconnect, "crash": crash}

if __name__ == "__main__":
    scene, era = sys.argv[1:]
    print(json.dumps(anyio.run(SCENES[scene], era)))
