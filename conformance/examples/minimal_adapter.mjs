// The smallest useful adapter for an agent on promises: protocol 1 on stdio around `toy_agent.mjs`. Copy it, change it.
//
//     lifecycle check "stdio:node conformance/examples/minimal_adapter.mjs"

import { createInterface } from 'node:readline';
import { ToyAgent } from './toy_agent.mjs';

const COMMANDS = ['create', 'send', 'cancel', 'hold', 'release'];
const SHOWN = ['agent/status', 'turn/start', 'turn/end', 'gate', 'settled'];
const STATUSES = ['idle', 'running', 'cancelling'];
const PROFILE = { commands: COMMANDS, observations: SHOWN, statuses: STATUSES, gates: ['model'] };
const ABOUT = { protocol: 1, name: 'toy', version: '1', language: 'javascript', profile: PROFILE };
const MEMBERS = ['do', 'as', 'id', 'agent', 'message', 'wakeup', 'cause', 'gate', 'of', 'sticky', 'with'];
let [agents, waiting, holds, seen] = [new Map(), new Map(), [], []];

const see = (event, members) => seen.push({ event, ...members });

// the model: a gate the judge may hold until it releases it or, unless sticky, the turn is aborted
async function model(agent, signal) {
  const index = holds.findIndex((hold) => hold.of === agent);
  if (index < 0) return;
  const [{ sticky }] = holds.splice(index, 1);
  see('gate', { of: agent, gate: 'model' });
  await new Promise((resolve) => {
    const end = () => waiting.delete(agent) && resolve();
    waiting.set(agent, end);
    if (!sticky) signal.addEventListener('abort', end);
  });
}

// one command, answered at once; what this adapter does not know is refused, never guessed
function perform({ as = 'h1', ...command }) {
  const { do: verb, agent, id = agent, gate = 'model', of } = command;
  const known = COMMANDS.includes(verb) && Object.keys(command).every((member) => MEMBERS.includes(member));
  if (!known || gate !== 'model' || (command.with ?? 'finish') !== 'finish') return { refused: 'unsupported' };
  if (verb === 'create') {
    see('settled', agents.has(id) ? { of: as, refused: 'duplicate_id' } : { of: as, ok: 'handle' });
    if (!agents.has(id)) agents.set(id, new ToyAgent(id, see, model));
    return { pending: as };
  }
  if (agent !== undefined && !agents.has(agent)) return { refused: 'not_live' };
  if (verb === 'release' && !waiting.has(of)) return { refused: 'no_such_gate' };
  if (verb === 'send') agents.get(agent).send(command.wakeup ?? true);
  if (verb === 'cancel') agents.get(agent).cancel();
  if (verb === 'hold' && !holds.some((hold) => hold.of === of)) holds.push(command);
  if (verb === 'release') waiting.get(of)();
  return { ok: command.message ?? null };
}

// the commands without giving way, then quiet: promises are done when the event loop comes round
async function burst(commands) {
  seen = [];
  const calls = commands.map(perform);
  await new Promise((resolve) => setImmediate(resolve));
  return { calls, seen };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'reset') [agents, waiting, holds] = [new Map(), new Map(), []];
  const bursts = [];
  for (const commands of params?.bursts ?? []) bursts.push(await burst(commands));
  const result = { initialize: ABOUT, reset: {}, run: { bursts } }[method];
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
