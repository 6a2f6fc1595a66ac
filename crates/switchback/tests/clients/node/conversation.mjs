// One conversation of a TypeScript SDK with the server: prints what was seen, as one JSON document.
//
// usage: conversation.mjs SDK SCENE ERA, in the project folder, with SWITCHBACK_BINARY and SWITCHBACK_HOME set.
// SDK is `client` (the split packages, both eras) or `sdk` (the package before them, which opens with `initialize`).
// What must have been seen is written where the scenes of all SDKs are checked, not here.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sdks } from './sdks.mjs';

const { SWITCHBACK_BINARY: BINARY, SWITCHBACK_HOME: HOME } = process.env;
const [name, scene, era] = process.argv.slice(2);
const sdk = await sdks[name](era);

async function connect(human) {
  const env = { ...sdk.environment(), SWITCHBACK_HOME: HOME };
  const client = await sdk.connect({ command: BINARY, args: ['serve'], env }, human);
  client.onerror = error => late(error) ?? console.error(error);
  return client;
}

// The SDK passes progress on a moment after it has read it. What came in one gulp with the answer finds nobody who asked
// for it any more and is reported as an error; it was told all the same.
const latecomers = [];

function late({ message }) {
  const [, notification] = message.match(/^Received a progress notification for an unknown token: (.*)$/) ?? [];
  return notification && latecomers.push(JSON.parse(notification).params);
}

async function call(client, tool, given, { told, signal } = {}) {
  const onprogress = told && (progress => told.push(progress));
  const result = await sdk.call(client, { name: tool, arguments: given }, { onprogress, signal });
  await sleep(0);
  told?.push(...latecomers.splice(0));
  return {
    is_error: result.isError ?? false,
    structured: result.structuredContent,
    texts: result.content.filter(block => block.type === 'text').map(block => block.text),
  };
}

async function until(what, holds) {
  const deadline = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await sleep(10);
  }
}

const mark = name => (existsSync(`${name}.began`) ? readFileSync(`${name}.began`, 'utf8').split('\n').length - 1 : 0);
const letGo = name => writeFileSync(`${name}.go`, '');
const told = list => list.map(({ progress, total, message }) => ({ progress, total: total ?? null, message }));

async function look() {
  const client = await connect();
  const { name, title, version } = client.getServerVersion() ?? {};
  const read = {};
  for (const uri of ['workflow://list', 'workflow://definition/greet', 'switchback://run/nobody']) {
    try {
      read[uri] = (await client.readResource({ uri })).contents[0].text;
    } catch (error) {
      read[uri] = { code: error.code, message: error.message };
    }
  }
  const prompt = { name: 'workflow_help', arguments: { workflow_name: 'greet' } };
  const ref = { type: 'ref/prompt', name: 'workflow_help' };
  const completed = await client.complete({ ref, argument: { name: 'workflow_name', value: 'gr' } });
  const seen = {
    version: sdk.version(client),
    server: { name, title, version },
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities(),
    tools: (await client.listTools()).tools,
    resources: (await client.listResources()).resources.map(resource => resource.uri),
    templates: (await client.listResourceTemplates()).resourceTemplates.map(template => template.uriTemplate),
    prompts: (await client.listPrompts()).prompts,
    prompt: (await client.getPrompt(prompt)).messages[0].content.text,
    completed: completed.completion.values,
    read,
  };
  await client.close();
  return seen;
}

async function work() {
  const client = await connect();
  const heard = [];
  const greet = { workflow: 'greet', inputs: { who: 'you' } };
  const run = (given, more) => call(client, 'execute_workflow', given, more);
  const seen = { version: sdk.version(client), greet: await run(greet, { told: heard }) };
  seen.progress = told(heard);
  seen.breaks = await run({ workflow: 'breaks' });
  seen.unknown = await run({ workflow: 'graet' });
  seen.missing = await run({ workflow: 'greet' });
  seen.unknown_tool = await call(client, 'execute_workflw', {});
  const keyed = { ...greet, request_key: 'once' };
  seen.keyed = [await run(keyed), await run(keyed)];
  seen.keyed_otherwise = await run({ ...keyed, inputs: { who: 'me' } });
  const uri = `switchback://run/${seen.greet.structured.workflow_id}`;
  seen.run = JSON.parse((await client.readResource({ uri })).contents[0].text);
  await client.close();
  return seen;
}

// A human who says yes, then where; and one who closes what they are asked.
async function ask() {
  const asked = [];
  const answers = [{ response: true }, { response: 'production' }];
  const human = ({ message, requestedSchema }) => {
    asked.push({ message, schema: requestedSchema });
    const content = answers[asked.length - 1];
    return content ? { action: 'accept', content } : { action: 'cancel' };
  };
  const client = await connect(human);
  const seen = { version: sdk.version(client), asked };
  seen.said = await call(client, 'execute_workflow', { workflow: 'asks' });
  seen.closed = await call(client, 'execute_workflow', { workflow: 'asks' });
  const { workflow_id } = seen.closed.structured;
  seen.relayed = await call(client, 'resume_workflow', { workflow_id, response: false, wait_seconds: 0 });
  await client.close();
  return seen;
}

// A call of a run that waits, once that run has begun.
async function begun(client, workflow, name) {
  const heard = [];
  const stop = new AbortController();
  const given = { workflow, inputs: { mark: name } };
  const answer = call(client, 'execute_workflow', given, { told: heard, signal: stop.signal });
  const ended = answer.then(said => ({ said }), error => ({ error: error.message }));
  await until('the run begins', () => heard.length > 0 && mark(name) === 1);
  return { ended, heard, stop };
}

async function found(client) {
  const { runs } = (await call(client, 'get_workflow_status', {})).structured;
  const [run, ...more] = runs.filter(run => run.status === 'running');
  if (run === undefined || more.length > 0) throw new Error(`not one run goes on: ${JSON.stringify(runs)}`);
  return run.workflow_id;
}

async function dropped(client, name) {
  const { ended, heard, stop } = await begun(client, 'waits', name);
  stop.abort('not wanted any more');
  const { error } = await ended;
  if (error === undefined) throw new Error('a call that was cancelled was answered');
  return told(heard);
}

async function cancel() {
  const client = await connect();
  const seen = { version: sdk.version(client), told: await dropped(client, 'goes-on') };
  let workflow_id = await found(client);
  seen.goes_on = await call(client, 'get_workflow_status', { workflow_id });
  letGo('goes-on');
  seen.ended = await call(client, 'get_workflow_status', { workflow_id, wait_seconds: 30 });
  await dropped(client, 'is-ended');
  workflow_id = await found(client);
  seen.cancelled = await call(client, 'cancel_workflow', { workflow_id, reason: 'not wanted' });
  seen.again = await call(client, 'cancel_workflow', { workflow_id });
  await client.close();
  return seen;
}

async function reconnect() {
  const first = await connect();
  const { ended } = await begun(first, 'waits', 'left');
  const began = performance.now();
  await first.close();
  const seen = { closed_after: (performance.now() - began) / 1000 };
  await ended;
  const second = await connect();
  seen.version = sdk.version(second);
  const workflow_id = await found(second);
  seen.found = await call(second, 'get_workflow_status', { workflow_id });
  const heard = [];
  const waited = call(second, 'get_workflow_status', { workflow_id, wait_seconds: 30 }, { told: heard });
  letGo('left');
  seen.ended = await waited;
  seen.told = told(heard);
  await second.close();
  return seen;
}

const daemon = () => Number(readFileSync(`${HOME}/daemon.pid`, 'utf8'));

// Ends the daemon as a crash would.
function killDaemon() {
  const pid = daemon();
  process.kill(pid, 'SIGKILL');
  return pid;
}

async function killedUnder(client, workflow, name) {
  const { ended, heard } = await begun(client, workflow, name);
  killDaemon();
  if (workflow === 'waits') {
    await until('the step begins again', () => mark(name) === 2);
    letGo(name);
  }
  const { said, error } = await ended;
  return { answer: said ?? error, told: told(heard) };
}

async function crash() {
  const client = await connect();
  const seen = { version: sdk.version(client), before: await call(client, 'list_workflows', {}) };
  seen.first = killDaemon();
  seen.after = await call(client, 'list_workflows', {});
  seen.second = daemon();
  seen.retried = await killedUnder(client, 'waits', 'retried');
  seen.doubted = await killedUnder(client, 'doubts', 'doubted');
  seen.tools = (await client.listTools()).tools.length;
  await client.close();
  return seen;
}

const scenes = { look, work, ask, cancel, reconnect, crash };
console.log(JSON.stringify(await scenes[scene]()));
