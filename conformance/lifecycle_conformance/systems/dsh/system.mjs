// One fresh runtime in this process: boots it, performs bursts, and says when it is quiet.

import { Agents } from './agents.mjs';
import { refusal } from './answers.mjs';
import { perform } from './commands.mjs';
import { Gates } from './gates.mjs';
import { gatedFlush, installHooks } from './hooks.mjs';
import { Names, isRecord } from './messages.mjs';
import { Reactions } from './reactions.mjs';
import { Recorder } from './recorder.mjs';
import { Sessions } from './sessions.mjs';
import { Storage } from './storage.mjs';

// the runtime's core set runs on microtasks alone: when the loop comes round twice and nothing was seen, none is left
const CALM = 2;

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

export class System {
  packages;
  root;
  owners = new Map();
  providers = new Map();
  names = new Names();
  reactions = new Reactions(this);
  recorder = new Recorder(this);
  gates = new Gates((seen) => this.see(seen), this.reactions);
  agents = new Agents(this);
  sessions = new Sessions(this);
  storage = new Storage(this);
  #flushListeners = new Set();
  #seen = [];
  #activity = 0;
  #closed = false;

  constructor(packages) {
    this.packages = packages;
    this.root = new packages.cordis.Context();
  }

  /** Boot in the order the runtime's parts need; the recorder listens before the agent loop exists. */
  static async boot(packages) {
    const system = new System(packages);
    const { root } = system;
    for (const plugin of [
      packages.llm.LlmRuntime, packages.session.SessionStore, packages.prompt.SystemPrompt, packages.tools.ToolRuntime,
      packages.agent.AgentRegistry,
    ]) {
      await root.plugin(plugin, {});
    }
    system.recorder.install();
    await system.storage.on();
    system.agents.loadProvider({ as: 'p1' });
    await system.addOwner('root', ['agents', 'sessions']);
    await system.addOwner('bare', ['agents']);
    installHooks(system);
    await turnOfTheLoop();
    return system;
  }

  async addOwner(name, inject) {
    let ctx;
    const fiber = this.root.plugin({
      name: `owner-${name}`,
      inject,
      apply: (own) => {
        ctx = own;
      },
    });
    await fiber;
    this.owners.set(name, { fiber, ctx });
  }

  /** Make the owner fibers that these bursts name: a fiber needs a moment to start, which a burst does not give. */
  async ensureOwners(bursts) {
    const named = new Set();
    const collect = (commands) => {
      for (const command of commands) {
        for (const name of [command.owner, command.fiber]) if (name !== undefined) named.add(name);
        if (command.then !== undefined) collect(command.then);
      }
    };
    bursts.forEach(collect);
    for (const name of named) if (!this.owners.has(name)) await this.addOwner(name, ['agents', 'sessions']);
  }

  /** Give flushes one more listener under this name, once. */
  addFlushListener(name) {
    if (this.#flushListeners.has(name)) return;
    this.#flushListeners.add(name);
    gatedFlush(this, name);
  }

  /** Perform one burst in one uninterrupted segment, then run until quiet. */
  async burst(commands) {
    this.#seen = [];
    const calls = commands.map((command) => this.perform(command));
    await this.quiet();
    return { calls, seen: this.#seen };
  }

  perform(command) {
    return perform(this, command);
  }

  async quiet() {
    let calm = 0;
    while (calm < CALM) {
      const before = this.#activity;
      await turnOfTheLoop();
      calm = this.#activity === before ? calm + 1 : 0;
    }
  }

  see(seen) {
    if (this.#closed) return;
    this.#activity += 1;
    this.#seen.push(seen);
  }

  /** See something that only the adapter sees, and give reactions their turn. */
  noteLocal(seen) {
    this.see(seen);
    this.reactions.fireOnLocal(seen);
  }

  fault(error) {
    this.see({ event: 'fault', text: String(error?.message ?? error) });
  }

  /** Answer a call that settles later, and report its settlement once. */
  settle(as, promise, ok) {
    promise.then(
      (value) => this.see({ event: 'settled', of: as, ok: ok(value) }),
      (error) => this.see({ event: 'settled', of: as, ...refusal(error) }),
    );
    return { pending: as };
  }

  /** Unload a fiber and wait for all of it, also when another trigger began the unload. */
  async quiesce(fiber) {
    await fiber.dispose();
    while (fiber.inertia !== undefined) await fiber.inertia;
  }

  /** Which turn and step an agent is in by its log, which grows unobserved once its session is in no store. */
  place(agent) {
    const { events } = agent.session;
    const turn = events.findLast((event) => event.type === 'turn/start')?.data.turn ?? 0;
    const started = events.findLast((event) => event.type === 'step/start' || event.type === 'turn/start');
    return { turn, step: started?.data.step ?? 0 };
  }

  /** How many of the contract's records a log has. */
  recordCount(session) {
    return session.events.filter((event) => isRecord(event.type)).length;
  }

  /** Drop this runtime: it reports nothing any more, and leaves no timer behind. */
  async close() {
    this.#closed = true;
    this.storage.off();
    await turnOfTheLoop();
  }
}
