// What each command asks of the runtime's public verbs.

import { OK, refusal, refused } from './answers.mjs';
import { failure } from './hooks.mjs';
import { causeFor, invalidMessage, recordsOf, userMessage } from './messages.mjs';

const SENDS = { send: 'followup', steer: 'steer', inject: 'inject' };

const VERBS = {
  create: (system, command) => system.agents.create(command),
  resume: (system, command) => system.agents.resume(command),
  abort: (system, command) => system.agents.abort(command),
  send,
  steer: send,
  inject: send,
  cancel: withAgent((_system, command, agent) => {
    const cause = causeFor(command.cause ?? 'user');
    agent.cancel(cause, command.keep_inbox === true ? { keepInbox: true } : {});
    return OK;
  }),
  when_idle: withAgent((system, command, agent) => system.settle(command.as, agent.whenIdle(), () => null)),
  dispose: (system, command) => system.agents.dispose(command),
  unload_owner: (system, command) => system.agents.unloadOwner(command),
  unload_provider: (system, command) => system.agents.unloadProvider(command),
  load_provider: (system, command) => system.agents.loadProvider(command),
  hold: naming((system, command) => system.gates.hold(command)),
  watch: naming((system, command) => system.gates.watch(command)),
  release: (system, command) => system.gates.release(command),
  react: naming((system, command) => system.reactions.arm(command)),
  disarm: (system, command) => system.reactions.disarm(command.as),
  read: inTheOneStore((system, command) => {
    if (command.agent !== undefined && system.agents.find(command.agent) === undefined) {
      return refused('not_live', `no agent "${command.agent}"`);
    }
    return { ok: read(system, command) };
  }),
  session: inTheOneStore((system, command) => system.sessions.perform(command)),
  storage: (system, command) => system.storage.perform(command),
  maintenance: withAgent(maintenance),
  remove: withAgent((_system, command, agent) => ({ ok: agent.inbox.remove(command.message) })),
  replace: withAgent((_system, command, agent) => ({
    ok: agent.inbox.replace(command.message, userMessage(command.by)),
  })),
};

/** The verbs this adapter performs. */
export const SUPPORTED = Object.keys(VERBS);

/** Perform one command; it answers at once, and a refused one throws nothing. */
export function perform(system, command) {
  const verb = VERBS[command.do];
  if (verb === undefined) return refused('unsupported', `this system has no "${command.do}"`);
  try {
    return verb(system, command);
  } catch (error) {
    return refusal(error);
  }
}

function inTheOneStore(act) {
  return (system, command) => {
    if ((command.store ?? 's1') !== 's1') return refused('unsupported', 'this system has one session store');
    return act(system, command);
  };
}

/** Naming a flush listener makes one. */
function naming(act) {
  return (system, command) => {
    const { gate, listener } = command.on ?? command;
    if (gate === 'flush' && listener !== undefined) system.addFlushListener(listener);
    return act(system, command);
  };
}

function withAgent(act) {
  return (system, command) => {
    const agent = system.agents.find(command.agent);
    if (agent === undefined) return refused('not_live', `no agent "${command.agent}"`);
    return act(system, command, agent);
  };
}

function send(system, command) {
  const agent = system.agents.find(command.agent);
  if (agent === undefined) return refused('not_live', `no agent "${command.agent}"`);
  if (command.contexts?.length > 0) return refused('unsupported', 'a message carries no contexts here');
  const message = command.invalid === true ? invalidMessage(command.message) : userMessage(command.message);
  // a quiet send has no alias of its own: it is the primitive with its own preset
  if (command.do === 'send' && command.wakeup === false) agent.send(message, 'next-turn', false);
  else agent[SENDS[command.do]](message);
  return { ok: command.message };
}

function maintenance(system, command, agent) {
  const job = (signal) => {
    system.recorder.watch(agent, signal);
    const map = (outcome) => {
      const failed = failure('maintenance', outcome);
      if (failed !== undefined) throw failed.error;
      return null;
    };
    const entered = system.gates.enter({ kind: 'maintenance', of: system.names.subject(agent.id) }, { signal, map });
    return entered instanceof Promise ? entered : map(entered);
  };
  return system.settle(command.as, agent.runMaintenance(job), () => null);
}

function read(system, command) {
  const { root } = system;
  if (command.registry === true) return readRegistry(system, root);
  if (command.store !== undefined) return { sessions: root.sessions.list().map((session) => system.names.subject(session.id)) };
  if (command.owner !== undefined) return readOwner(system, command.owner);
  const id = command.agent ?? command.session;
  if (command.agent === undefined) return readSession(system, id);
  const agent = system.agents.find(id);
  return {
    status: agent.status,
    queued: agent.inbox.nextTurn.map((message) => system.names.of(message.id)),
    steering: agent.inbox.nextStep.map((message) => system.names.of(message.id)),
    ...readLog(system, id, agent.session),
  };
}

function readRegistry(system, { agents }) {
  const namesOf = (list) => list.map((agent) => system.names.subject(agent.id));
  return { agents: namesOf(agents.list()), roots: namesOf(agents.roots()) };
}

function readSession(system, id) {
  const session = system.root.sessions.get(system.names.idOf(id)) ?? system.sessions.made(id);
  return readLog(system, id, session);
}

function readLog(system, id, session) {
  const log = session === undefined ? null : recordsOf(session.events, system.names);
  return { log, stored: system.storage.read(id) };
}

function readOwner(system, name) {
  const owner = system.owners.get(name);
  if (owner === undefined) return null;
  const owned = owner.fiber.getEffects().map(({ label }) => /^agentLoop\.lifecycle\((.*)\)$/.exec(label)?.[1]);
  return { records: owned.filter((id) => id !== undefined) };
}
