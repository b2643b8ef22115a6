// Drives the agent given on the command line with the official Node client and prints what happened as one JSON object.
// Usage: node client.mjs HOME COMMAND ARGUMENT...   (HOME: the sessions' directory)

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [home, command, ...args] = process.argv.slice(2);
const text = (words) => [{ type: "text", text: words }];

// One agent process from start to exit, with one client on it.
async function life(run) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.on("exit", (code, signal) => resolve(code ?? signal)));
  const told = [];
  const asked = [];
  const words = () => told.map((update) => update.content?.text ?? "").join("");
  const app = client({ name: "lifecycle-node-client" })
    .onNotification(methods.client.session.update, ({ params }) => void told.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall.title);
      return { outcome: { outcome: "selected", optionId: "once" } };
    });
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  let result;
  await app.connectWith(stream, async (agent) => {
    const answer = await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
    const prompt = (sessionId, said) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: text(said) }).then((done) => done.stopReason);
    result = await run({ agent, answer, prompt, told, asked, words, child });
  }).catch((error) => {
    if (result === undefined) throw error;
  });
  child.stdin.end();
  const started = Date.now();
  result.exit = await exited;
  result.exitMs = Date.now() - started;
  return result;
}

const until = async (condition) => {
  while (!condition()) await delay(20);
};

const report = {};
report.first = await life(async ({ agent, answer, prompt, told, asked, words }) => {
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: home, mcpServers: [] });
  const hello = await prompt(sessionId, "hello");
  const said = words();
  told.length = 0;
  const bash = await prompt(sessionId, "run pwd; echo $((6 * 7))");
  const kinds = told.map((update) => update.sessionUpdate);
  const output = told.find((update) => update.sessionUpdate === "tool_call_update").content[0].content.text;
  told.length = 0;
  const slow = prompt(sessionId, "slow 60");
  await until(() => words().includes("1 "));
  await agent.notify(methods.agent.session.cancel, { sessionId });
  const cancelled = await slow;
  const failed = await prompt(sessionId, "fail").catch((error) => String(error.message));
  return { protocol: answer.protocolVersion, sessionId, hello, said, bash, kinds, output, asked, cancelled, failed };
});
report.second = await life(async ({ agent, prompt, told }) => {
  const { sessionId } = report.first;
  await agent.request(methods.agent.session.load, { sessionId, cwd: home, mcpServers: [] });
  const replayed = told.map((update) => update.sessionUpdate);
  const first = told[0].content.text;
  return { replayed, first, again: await prompt(sessionId, "again") };
});
for (const [name, said, ready] of [
  ["midPrompt", "slow 60", ({ words }) => words().includes("1 ")],
  ["midCommand", "run (setsid sleep 300 &) ; touch up; sleep 300", () => existsSync(join(home, "up"))],
]) {
  report[name] = await life(async (connected) => {
    const { sessionId } = await connected.agent.request(methods.agent.session.new, { cwd: home, mcpServers: [] });
    connected.prompt(sessionId, said).catch(() => undefined);
    await until(() => ready(connected));
    return { pid: connected.child.pid };
  });
}
console.log(JSON.stringify(report));
