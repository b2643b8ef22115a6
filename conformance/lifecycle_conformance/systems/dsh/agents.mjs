// Creations, handles, owners and providers: who may tear what down, and how the judge names them.

import { OK, Asked, refusal, refused } from './answers.mjs';
import { gatedScope, gatedSetup } from './hooks.mjs';
import { eventsFrom } from './messages.mjs';

const OPTIONS = { provider: 'judge', model: 'judge' };

export class Agents {
  #system;
  #refs = new Map();
  #latest = new Map();
  #refOf = new WeakMap();
  #creating;
  #labels = new Map();

  constructor(system) {
    this.#system = system;
  }

  /** The agent an id names: the live one, else the one published last under it. */
  find(name) {
    const id = this.#system.names.idOf(name);
    return this.#system.root.agents.get(id) ?? this.#latest.get(id);
  }

  /** The context to listen through: a live agent's own, or that of a creation still in setup. */
  scopeOf(name) {
    const agent = this.#system.root.agents.get(this.#system.names.idOf(name));
    if (agent !== undefined) return agent.ctx;
    const refs = [...this.#refs.values()].filter((ref) => ref.as === name || ref.id === name);
    return refs.findLast((ref) => ref.setup !== undefined && !ref.settled)?.setup;
  }

  create(command) {
    const ctx = this.#ownerOf(command);
    if (ctx === undefined) return refused('not_live', 'no such owner or parent');
    const ref = this.#newRef(command, ctx);
    if (command.sync === true) return this.#createSync(command, ref);
    const options = { sessionId: command.id, ...this.#optionsOf(command, ref) };
    return this.#settleCreation(ref, () => ctx.agents.create(options));
  }

  resume(command) {
    const ctx = this.#ownerOf(command);
    if (ctx === undefined) return refused('not_live', 'no such owner or parent');
    if (command.sync === true) return refused('unsupported', 'a resume is never synchronous');
    const ref = this.#newRef(command, ctx);
    ref.resumes = true;
    const { meta: _meta, seed: _seed, ...options } = this.#optionsOf(command, ref);
    return this.#settleCreation(ref, () => ctx.agents.resume({ resumeSessionId: command.id, ...options }));
  }

  /** Who is asking for this id's log now: the newest resume that has not reached setup, else the configured agent by its label. */
  resuming(id) {
    const refs = [...this.#refs.values()].filter((ref) => ref.id === id && ref.resumes && ref.setup === undefined);
    return refs.at(-1)?.as ?? this.#labels.get(id) ?? id;
  }

  abort({ ref: name, reason }) {
    const ref = this.#refs.get(name);
    if (ref === undefined) return refused('not_live', `no creation "${name}"`);
    if (ref.sync) return refused('unsupported', 'a synchronous creation takes no signal');
    ref.controller.abort(reason === 'value' ? 'judge' : new Asked('aborted', 'the judge aborted the creation'));
    return OK;
  }

  dispose(command) {
    const agent = command.agent === undefined ? undefined : this.find(command.agent);
    const ref = agent === undefined ? this.#refs.get(command.ref) : this.#refOf.get(agent);
    if (ref === undefined) return refused('not_live', 'no such handle');
    const viaHandle = command.same_stack !== true && ref.handle !== undefined;
    if (!viaHandle && ref.lifecycle === undefined) return refused('not_live', 'nothing to dispose yet');
    // a synchronous creation hands out no handle: its lifecycle effect is its only disposer
    if (!viaHandle && command.same_stack !== true && ref.sync !== true) {
      return refused('not_live', 'the handle was not returned');
    }
    const disposal = viaHandle ? ref.handle.dispose() : this.#disposeLifecycle(ref);
    return this.#system.settle(command.as, disposal, () => null);
  }

  unloadOwner({ fiber: name, as }) {
    const owner = this.#system.owners.get(name ?? 'root');
    if (owner === undefined) return refused('not_live', `no owner "${name}"`);
    return this.#system.settle(as, this.#system.quiesce(owner.fiber), () => null);
  }

  unloadProvider({ provider: name, as }) {
    const fiber = this.#system.providers.get(name ?? 'p1');
    if (fiber === undefined) return refused('not_live', `no provider "${name ?? 'p1'}"`);
    return this.#system.settle(as, this.#system.quiesce(fiber), () => null);
  }

  /** Load a provider. A plugin starts a microtask after the call, so the answer is known when the burst is quiet. */
  loadProvider({ as, owner, configured = [] }) {
    const ctx = owner === undefined ? this.#system.root : this.#system.owners.get(owner)?.ctx;
    if (ctx === undefined) return refused('not_live', `no owner "${owner}"`);
    for (const { label, id, resume } of configured) {
      if (id === undefined && resume === undefined) this.#system.names.expect(label);
      else this.#labels.set(id ?? resume, label);
    }
    const agents = configured.map(({ label, id, resume }) => ({
      id: label,
      ...OPTIONS,
      ...(id === undefined ? {} : { sessionId: id }),
      ...(resume === undefined ? {} : { resumeSessionId: resume }),
    }));
    const { providers } = this.#system;
    const name = as ?? 'p1';
    const former = providers.get(name);
    const answer = { ok: null };
    try {
      const fiber = ctx.plugin(this.#system.packages.loop.AgentLoop, { agents });
      providers.set(name, fiber);
      fiber.then(
        () => undefined,
        (error) => {
          if (former === undefined) providers.delete(name);
          else providers.set(name, former);
          delete answer.ok;
          Object.assign(answer, refusal(error));
          fiber.dispose();
        },
      );
    } catch (error) {
      return refusal(error);
    }
    return answer;
  }

  /** Called by a creation's setup, which the runtime enters right after it registered the lifecycle effect. */
  enterSetup(ref, ctx) {
    ref.setup = ctx;
    this.#adopt(ref, ctx.agent);
  }

  /** Follow what was published: which agent an id names now, and what a synchronous creation made. */
  note(name, [subject]) {
    if (name !== 'session/created') return;
    const agent = this.#system.root.agents.get(subject.id);
    if (agent === undefined) return;
    this.#latest.set(agent.id, agent);
    if (!this.#refOf.has(agent)) this.#adopt(this.#creating ?? { as: agent.id, id: agent.id }, agent);
  }

  #adopt(ref, agent) {
    ref.agent = agent;
    this.#refOf.set(agent, ref);
    if (ref.ctx !== undefined) ref.lifecycle = this.#lifecycleOf(ref);
    gatedScope(this.#system, agent);
  }

  /** The newest lifecycle effect under this id on the owner: the one its creation just registered. */
  #lifecycleOf(ref) {
    const label = `agentLoop.lifecycle(${ref.id})`;
    const effect = this.#system.packages.cordis.symbols.effect;
    return [...ref.ctx.fiber._disposables].findLast((disposer) => disposer[effect]?.label === label);
  }

  async #disposeLifecycle(ref) {
    const first = ref.disposal === undefined;
    ref.disposal ??= Promise.resolve(ref.lifecycle());
    await ref.disposal;
    // the effect runs once; when another trigger ran it, that trigger's end is this one's
    if (first) await ref.handle?.dispose();
  }

  #ownerOf({ owner, parent }) {
    if (parent !== undefined) return this.find(parent)?.ctx;
    return this.#system.owners.get(owner ?? 'root')?.ctx;
  }

  #newRef(command, ctx) {
    const ref = { as: command.as, id: command.id, ctx, controller: new AbortController(), sync: command.sync === true };
    if (command.signal === 'error') ref.controller.abort(new Asked('aborted', 'aborted before the call'));
    if (command.signal === 'value') ref.controller.abort('judge');
    this.#refs.set(ref.as, ref);
    return ref;
  }

  #optionsOf(command, ref) {
    const options = { agentOptions: OPTIONS, setup: gatedSetup(this.#system, ref), signal: ref.controller.signal };
    if (command.seed !== undefined) options.seed = eventsFrom(command.seed);
    if (command.invalid === 'seed') options.seed = [{ type: 'turn/start', seq: 7, time: 0, data: { turn: 1 } }];
    if (command.invalid === 'cwd') options.meta = { cwd: 'not/absolute' };
    return options;
  }

  #createSync(command, ref) {
    if (command.signal !== undefined || command.seed !== undefined || command.invalid === 'seed') {
      return refused('unsupported', 'a synchronous creation takes no signal and no seed');
    }
    const service = ref.ctx.get('agentLoop');
    if (service === undefined) return refused('inactive_provider', 'no provider');
    this.#creating = ref;
    try {
      const meta = command.invalid === 'cwd' ? { cwd: 'not/absolute' } : {};
      service.create(command.id, OPTIONS, meta);
    } catch (error) {
      return refusal(error);
    } finally {
      this.#creating = undefined;
    }
    return { ok: 'handle' };
  }

  #settleCreation(ref, start) {
    let creation;
    try {
      creation = start();
    } catch (error) {
      creation = Promise.reject(error); // thrown on the caller's stack or not, the creation is rejected at once
    }
    return this.#system.settle(
      ref.as,
      creation.finally(() => {
        ref.settled = true;
      }),
      (handle) => {
        ref.handle = handle;
        return 'handle';
      },
    );
  }
}
