// What every reproduction here starts from: the published packages, booted by hand in plain Node. No adapter, no judge.

import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

Promise.withResolvers ??= function withResolvers() {
  const made = {};
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error(`usage: node ${basename(process.argv[1])} FOLDER   (FOLDER: an installed set, see README.md)`);
  process.exit(2);
}
const resolver = createRequire(`${folder}/package.json`);

/** Import one published package of the set. */
export const load = async (name) => import(pathToFileURL(resolver.resolve(`@deepseek-ai/${name}`)).href);

const { Context } = await load('cordis');
const { AgentRegistry } = await load('dsh-agent');
export const { AgentLoop } = await load('dsh-agent-loop');
const { LlmAdapter, LlmRuntime } = await load('dsh-llm');
const { SessionStore } = await load('dsh-session');
const { SystemPrompt } = await load('dsh-system-prompt');
const { ToolRuntime } = await load('dsh-tools');

export const user = { kind: 'user' };
export const OPTIONS = { provider: 'fake', model: 'fake' };

/** A user message with an id of our own. */
export const message = (id) => Object.freeze({
  id, role: 'user', content: [{ type: 'text', text: id }], source: { kind: 'user' },
});

/** Let everything that can run, run: the runtime waits for nothing but what a reproduction holds. */
export async function quiet() {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A model whose calls finish at once, unless held: `hold()` gives a function that ends the next call, with these chunks first. */
class Model extends LlmAdapter {
  waiting = [];

  hold() {
    const { promise, resolve } = Promise.withResolvers();
    this.waiting.push(promise);
    return (chunks = []) => resolve(chunks);
  }

  async* stream() {
    const given = await (this.waiting.shift() ?? []);
    yield* given;
    if (given.at(-1)?.type === 'finish') return;
    yield { type: 'text-delta', index: 0, text: 'done' };
    yield { type: 'finish', reason: { kind: 'stop' } };
  }
}

/** Boot the runtime and follow it: `log` gets one word for everything published. */
export async function boot({ configured = [], persistence } = {}) {
  const ctx = new Context();
  for (const plugin of [LlmRuntime, SessionStore, SystemPrompt, ToolRuntime, AgentRegistry]) await ctx.plugin(plugin, {});
  const log = [];
  follow(ctx, log);
  if (persistence !== undefined) await ctx.plugin(persistence);
  const model = new Model();
  ctx.llm.registerAdapter(['fake'], model);
  const provider = ctx.plugin(AgentLoop, { agents: configured });
  await provider;
  return { ctx, log, model, provider, owner: () => owner(ctx), create: (options) => create(ctx, options) };
}

function follow(ctx, log) {
  ctx.on('session/created', ({ id }) => void log.push(`${id} session/created`));
  ctx.on('session/disposed', ({ id }) => void log.push(`${id} session/disposed`));
  ctx.on('session/event', ({ id }, { type, data }) => {
    if (/^(turn|step)\//.test(type)) log.push(`${id} ${type} ${data.turn}${data.reason ? ` ${data.reason.kind}` : ''}`);
  });
  for (const name of ['created', 'disposed', 'session-start', 'error']) {
    ctx.on(`agent/${name}`, ({ agent }) => void log.push(`${agent.id} agent/${name}`));
  }
  ctx.on('agent/status', ({ agent, status }) => void log.push(`${agent.id} ${status}`));
  for (const name of ['inserted', 'claimed', 'discarded']) {
    ctx.on(`agent/inbox/${name}`, (event) => void log.push(`${event.agent.id} ${name} ${event.message.id}`));
  }
}

async function owner(ctx) {
  let own;
  const fiber = ctx.plugin({ name: 'owner', inject: ['agents'], apply: (inner) => { own = inner; } });
  await fiber;
  return { ctx: own, fiber };
}

function create(ctx, { id = 'x', through = ctx, ...options } = {}) {
  return through.agents.create({ sessionId: id, agentOptions: OPTIONS, ...options });
}

/** Say what a promise came to so far. */
export function follows(promise) {
  const state = { is: 'pending' };
  promise.then(
    () => { state.is = 'resolved'; },
    (error) => { state.is = `rejected: ${error?.message ?? error}`; },
  );
  return state;
}

/** Print both sides; exit 0 when the departure is there, 1 when it is not (then the finding is out of date). */
export function report({ clause, expected, seen, departs }) {
  console.log(`${clause}\n  expected  ${expected}\n  seen      ${seen}\n  ${departs ? 'departs' : 'DOES NOT DEPART'}`);
  process.exit(departs ? 0 : 1);
}
