// The points where the runtime lets others in, each made a gate: model, tool, setup, scope and the turn's hooks.

import { Asked } from './answers.mjs';
import { recordsOf, toolCall, userMessage } from './messages.mjs';

// a failed gate's refusal where the protocol has a word for it
const FAILED = { setup: 'setup_failed', flush: 'flush_failed', load: 'load_failed' };

/** What an outcome that is not a success throws, or undefined. */
export function failure(kind, outcome) {
  if (outcome.outcome === 'thrown') return { error: thrown(kind, outcome.error) };
  if (outcome.outcome === 'aborted') return { error: new Asked('aborted', `the held ${kind} gate honoured the abort`) };
  if (outcome.outcome !== 'fail') return undefined;
  if (outcome.value === true) return { error: 'judge' };
  return { error: new Asked(FAILED[kind] ?? 'invalid', `the judge failed the ${kind} gate`) };
}

/** What a reaction threw in a gate fails that gate. */
function thrown(kind, error) {
  return error instanceof Asked && kind in FAILED ? new Asked(FAILED[kind], error.message) : error;
}

function nameOf(system, subject) {
  return system.names.subject(subject.id);
}

/** Await a gate only where it must wait: an open gate adds no microtask of its own. */
function afterGate(kind, entered, proceed) {
  const go = (outcome) => {
    const failed = failure(kind, outcome);
    if (failed !== undefined) throw failed.error;
    return proceed(outcome);
  };
  return entered instanceof Promise ? entered.then(go) : go(entered);
}

function isCommon(outcome) {
  return outcome.outcome === 'fail' || outcome.outcome === 'thrown' || outcome.outcome === 'aborted';
}

/** Register the gated model, the gated tool and the hook points of every turn. */
export function installHooks(system) {
  const { root, packages, gates, recorder } = system;
  root.on('system-prompt/assemble', async (_assembly, context, next) => {
    const { agent, signal } = context;
    if (agent === undefined) return next();
    recorder.watch(agent, signal);
    const entered = gates.enter({ kind: 'assembly', of: nameOf(system, agent), ...system.place(agent) }, { signal });
    return afterGate('assembly', entered, next);
  });
  root.on('agent/pre-step', async ({ agent, turn, step, signal }, next) => {
    recorder.watch(agent, signal);
    const entered = gates.enter({ kind: 'pre_step', of: nameOf(system, agent), turn, step }, { signal });
    return afterGate('pre_step', entered, ({ outcome }) => (outcome === 'reject' ? { kind: 'reject' } : next()));
  });
  root.on('agent/request', async ({ agent, turn, step, signal }, next) => {
    const entered = gates.enter({ kind: 'request', of: nameOf(system, agent), turn, step }, { signal });
    return afterGate('request', entered, next);
  });
  root.on('agent/request-error', async ({ agent, turn, step, signal }, next) => {
    const entered = gates.enter({ kind: 'recovery', of: nameOf(system, agent), turn, step }, { signal });
    const outcome = entered instanceof Promise ? await entered : entered;
    if (outcome.outcome === 'retry') return { kind: 'retry' };
    // the gate's own success is not to recover; only a thrown failure is one
    if (outcome.outcome === 'fail') return next();
    throw failure('recovery', outcome).error;
  });
  root.on('agent/turn-stopping', async ({ agent, turn, signal }) => {
    const entered = gates.enter({ kind: 'stopping', of: nameOf(system, agent), turn }, { signal });
    return afterGate('stopping', entered, () => undefined);
  });
  root.on('internal/dispatch', (_mode, name, args) => {
    if (name !== 'session/event') return;
    const [session, event] = args;
    const entered = gates.enter({ kind: 'validation', of: nameOf(system, session), record: event.type }, { sync: true });
    const failed = failure('validation', entered);
    if (failed !== undefined) throw failed.error;
  });
  system.addFlushListener(undefined);
  root.llm.registerAdapter(['judge'], new (gatedModel(system, packages.llm.LlmAdapter))());
  root.tools.register(gatedTool(system));
}

/** One listener of explicit flushes, made a gate; the judge names those it wants apart. */
export function gatedFlush(system, listener) {
  system.root.on('session/flush', (session) => {
    const entered = system.gates.enter({ kind: 'flush', of: nameOf(system, session), listener });
    return afterGate('flush', entered, () => undefined);
  });
}

function gatedModel(system, LlmAdapter) {
  return class GatedModel extends LlmAdapter {
    async *stream(options) {
      const agent = system.root.agents.requireInitiator();
      const { turn, step } = system.place(agent);
      // records made after a detach were published to nobody: their messages are still nameless
      if (system.root.sessions.get(agent.id) !== agent.session) recordsOf(agent.session.events, system.names);
      system.noteLocal({
        event: 'request', of: nameOf(system, agent), turn, step,
        messages: options.messages.map((message) => system.names.of(message.id)),
      });
      yield* call(system, { kind: 'model', of: nameOf(system, agent), turn, step }, options.signal);
    }
  };
}

async function* call(system, gate, signal) {
  let chunks = 0;
  let outcome;
  let wake = Promise.withResolvers();
  const chunk = () => {
    chunks += 1;
    wake.resolve();
  };
  const entered = system.gates.enter(gate, { signal, chunk });
  if (entered instanceof Promise) {
    entered.then((settled) => {
      outcome = settled;
      wake.resolve();
    });
  } else {
    outcome = entered;
    if (outcome.outcome === 'chunk') [chunks, outcome] = [1, { outcome: 'finish' }];
  }
  try {
    while (outcome === undefined || chunks > 0) {
      for (; chunks > 0; chunks -= 1) yield { type: 'text-delta', index: 0, text: 'chunk ' };
      if (outcome !== undefined) break;
      await wake.promise;
      wake = Promise.withResolvers();
    }
    yield* ending(gate, outcome);
  } finally {
    if (entered instanceof Promise) system.gates.leave(entered);
  }
}

function* ending(gate, outcome) {
  const failed = isCommon(outcome) ? failure('model', outcome) : undefined;
  if (failed !== undefined) throw failed.error;
  if (outcome.outcome === 'error') {
    yield { type: 'finish', reason: { kind: 'error', failure: { message: 'the judge', code: 'JUDGE' } } };
    return;
  }
  yield { type: 'text-delta', index: 0, text: 'done' };
  for (let index = 1; index <= (outcome.tools ?? 0); index += 1) {
    const block = toolCall(gate.turn, gate.step, index);
    yield { type: 'tool-call-delta', index, id: block.id, name: block.name, argumentsDelta: block.arguments };
  }
  yield { type: 'finish', reason: { kind: outcome.outcome === 'max_tokens' ? 'max-tokens' : 'stop' } };
}

function gatedTool(system) {
  return {
    name: 'judge',
    description: 'A tool whose result the judge decides.',
    parameters: { type: 'object', properties: {} },
    output: { schema: { type: 'string' }, render: (_args, value) => [{ type: 'text', text: value }] },
    async execute(_args, exec) {
      const [turn, step, number] = exec.callId.split('.').map(Number);
      const gate = { kind: 'tool', of: nameOf(system, exec.agent), turn, step, call: number };
      system.recorder.watch(exec.agent, exec.signal);
      const entered = system.gates.enter(gate, { signal: exec.signal });
      const outcome = entered instanceof Promise ? await entered : entered;
      for (const id of outcome.context ?? []) exec.deferContext(userMessage(id));
      const failed = failure('tool', outcome);
      if (failed !== undefined) throw failed.error;
      return 'done';
    },
  };
}

/** The setup of one creation: enters its gate, then hands back a commit if the judge asked for one. */
export function gatedSetup(system, ref) {
  return (ctx) => {
    system.agents.enterSetup(ref, ctx);
    const map = (outcome) => commitOf(ctx, outcome);
    const entered = system.gates.enter(
      { kind: 'setup', of: ref.as },
      { input: { length: system.recordCount(ctx.agent.session) }, map },
    );
    return entered instanceof Promise ? entered : map(entered);
  };
}

function commitOf(ctx, outcome) {
  const failed = failure('setup', outcome);
  if (failed !== undefined) throw failed.error;
  if (outcome.outcome === 'tools') ctx.tools.get('judge');
  if (outcome.outcome === 'commit') return { commit: () => undefined };
  if (outcome.outcome === 'commit_fail') {
    return {
      commit: () => {
        throw new Asked('setup_failed', 'the judge failed the commit');
      },
    };
  }
  return undefined;
}

/** A disposer in the agent's own scope: reports that scope disposers ran, when its gate lets it. */
export function gatedScope(system, agent) {
  const of = nameOf(system, agent);
  agent.ctx.effect(() => async () => {
    const entered = system.gates.enter({ kind: 'scope', of });
    const outcome = entered instanceof Promise ? await entered : entered;
    system.noteLocal({ event: 'scope', of });
    const failed = failure('scope', outcome);
    if (failed !== undefined) throw failed.error;
  }, 'judge.scope()');
}
