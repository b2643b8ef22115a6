// Reactions: re-entrant listeners the judge arms. Each is one real listener of the runtime, or one of the gates'.

import { Asked, OK, PLAIN, refused } from './answers.mjs';
import { OUTCOMES, outcomeOf } from './gates.mjs';
import { isRecord } from './messages.mjs';

// events the runtime publishes under a name of its own
const RENAMED = {
  'agent/inbox/enqueue': 'agent/inbox/inserted',
  'agent/inbox/dequeue': 'agent/inbox/claimed',
  'agent/inbox/discard': 'agent/inbox/discarded',
};
const PUBLISHED = new Set([
  'agent/created', 'agent/disposed', 'agent/session-start', 'agent/status', 'agent/error', 'session/created',
  'session/disposed', 'session/event', 'session/flush', 'agent-loop/config-start-failed', ...Object.values(RENAMED),
]);
// observations that no runtime event carries: the adapter sees them at a gate, a signal or a disposer
const LOCAL = new Set(['abort', 'request', 'scope']);

function sourceOf(event) {
  if (isRecord(event)) return 'session/event';
  const name = RENAMED[event] ?? event;
  return PUBLISHED.has(name) ? name : undefined;
}

function fits(pattern, seen) {
  return Object.entries(pattern).every(([key, value]) => {
    if (key === 'event' && value === 'session/event') return isRecord(seen.event);
    return JSON.stringify(seen[key]) === JSON.stringify(value);
  });
}

export class Reactions {
  #system;
  #armed = [];
  #thrown = [];

  constructor(system) {
    this.#system = system;
  }

  arm(command) {
    const { on, through } = command;
    const gate = on.event === undefined || on.event === 'gate' ? on.gate : undefined;
    if (gate === undefined && sourceOf(on.event) === undefined && !LOCAL.has(on.event)) {
      return refused('unsupported', `nothing here publishes "${on.event}"`);
    }
    if (gate !== undefined && (OUTCOMES[gate] === undefined || outcomeOf(gate, command.with) === undefined)) {
      return refused('unsupported', `this system has no such gate or outcome: "${gate}"`);
    }
    // an exception in a listener of a platform signal ends the process, whatever the runtime does; the other two
    // are the adapter's own sightings and have no dispatch that could contain one
    if (LOCAL.has(on.event) && command.throw !== undefined) {
      return refused('unsupported', `a reaction on "${on.event}" cannot throw`);
    }
    const reaction = { ...command, gate, left: command.times ?? 1, off: undefined };
    if (gate === undefined && !LOCAL.has(on.event)) {
      const ctx = through === undefined ? this.#system.root : this.#system.agents.scopeOf(through);
      if (ctx === undefined) return refused('not_live', `no agent "${through}" to listen through`);
      reaction.off = ctx.on(sourceOf(on.event), (...args) => this.#hear(reaction, sourceOf(on.event), args));
    }
    this.#armed.push(reaction);
    return OK;
  }

  disarm(name) {
    for (const reaction of this.#armed.filter((armed) => name === undefined || armed.as === name)) {
      this.#drop(reaction);
    }
    return OK;
  }

  /** The reactions armed on a gate, in the order armed. */
  onGate(gate) {
    return this.#armed.filter((reaction) => {
      if (reaction.gate !== gate.kind) return false;
      const { gate: _kind, event: _event, ...address } = reaction.on;
      return fits(address, gate) && this.#through(reaction, gate.of);
    });
  }

  /** Perform the reactions of an entered gate; gives the first outcome one of them names. */
  fireOnGate(reactions, gate) {
    let given;
    for (const reaction of reactions) {
      if (reaction.left <= 0) continue;
      try {
        const later = this.#fire(reaction, { event: 'gate', of: gate.of, gate: gate.kind });
        later?.catch(() => undefined);
        if (later !== undefined) given ??= { outcome: 'thrown', error: new Asked('vetoed', 'the judge asked for it') };
      } catch (error) {
        given ??= { outcome: 'thrown', error };
      }
      if (reaction.with !== undefined) given ??= outcomeOf(gate.kind, reaction.with);
    }
    return given;
  }

  /** Perform the reactions on an observation that the adapter itself sees. */
  fireOnLocal(seen) {
    for (const reaction of [...this.#armed]) {
      if (reaction.gate !== undefined || reaction.on.event !== seen.event || reaction.left <= 0) continue;
      if (!fits(reaction.on, seen) || !this.#through(reaction, seen.of)) continue;
      this.#fire(reaction, seen);
    }
  }

  /** What the runtime's log says it contained: the oldest failure of that event not yet reported. */
  contained(event) {
    const index = this.#thrown.findIndex((failure) => failure.source === event);
    return index < 0 ? undefined : this.#thrown.splice(index, 1)[0].seen;
  }

  #through(reaction, of) {
    return reaction.through === undefined || reaction.through === of;
  }

  #hear(reaction, source, args) {
    if (reaction.left <= 0) return undefined;
    const seen = this.#system.recorder.translate(source, args);
    if (seen === undefined || !fits(reaction.on, seen)) return undefined;
    const note = () => this.#thrown.push({ source, seen });
    if (reaction.throw === 'async') note();
    try {
      return this.#fire(reaction, seen);
    } catch (error) {
      note();
      throw error;
    }
  }

  #fire(reaction, seen) {
    reaction.left -= 1;
    if (reaction.left <= 0) this.#drop(reaction);
    const answers = (reaction.then ?? []).map((command) => this.#system.perform(command));
    if (reaction.as !== undefined) {
      const name = seen.event === 'gate' ? seen.gate : seen.event;
      this.#system.see({ event: 'heard', of: seen.of, as: reaction.as, name, answers });
    }
    if (reaction.throw === 'async') return Promise.reject(new Asked('vetoed', 'the judge asked for it, later'));
    if (reaction.throw === 'value') throw PLAIN;
    if (reaction.throw !== undefined) throw new Asked('vetoed', 'the judge asked for it');
    return undefined;
  }

  #drop(reaction) {
    reaction.left = 0;
    reaction.off?.();
    const index = this.#armed.indexOf(reaction);
    if (index >= 0) this.#armed.splice(index, 1);
  }
}
