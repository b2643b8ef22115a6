// Gates: where the judge decides when and how the runtime goes on. Knows no package of the runtime.

import { OK, refused } from './answers.mjs';

/** What each gate may be told; the first word is its success. */
export const OUTCOMES = {
  setup: ['ok', 'tools', 'commit', 'commit_fail', 'fail'],
  load: ['ok', 'missing', 'fail'],
  validation: ['ok', 'fail'],
  assembly: ['ok', 'fail'],
  pre_step: ['ok', 'reject', 'fail'],
  request: ['ok', 'fail'],
  model: ['finish', 'chunk', 'error', 'tools', 'max_tokens', 'fail'],
  recovery: ['fail', 'retry'],
  tool: ['ok', 'fail'],
  stopping: ['ok', 'fail'],
  scope: ['ok'],
  maintenance: ['ok', 'fail'],
  flush: ['ok', 'fail'],
};

const ADDRESS = ['of', 'turn', 'call', 'record', 'listener'];
const SHOWN = ['call', 'record', 'listener'];

/** The outcome a `with` names, or undefined if the gate knows no such word. */
export function outcomeOf(kind, given) {
  const [success] = OUTCOMES[kind];
  if (given === undefined || given === null) return { outcome: success };
  if (typeof given === 'string') return OUTCOMES[kind].includes(given) ? { outcome: given } : undefined;
  const word = given.outcome ?? (given.tools > 0 ? 'tools' : success);
  return OUTCOMES[kind].includes(word) ? { ...given, outcome: word } : undefined;
}

function fits(address, gate) {
  if (address.gate !== gate.kind) return false;
  return ADDRESS.every((key) => address[key] === undefined || address[key] === gate[key]);
}

export class Gates {
  #see;
  #reactions;
  #holds = [];
  #watches = [];
  #waiting = [];

  constructor(see, reactions) {
    this.#see = see;
    this.#reactions = reactions;
  }

  hold(command) {
    if (!(command.gate in OUTCOMES)) return refused('unsupported', `this system has no gate "${command.gate}"`);
    // arming what is armed changes nothing: the next gate at that address waits, and one release lets it go
    const same = (hold) => [...ADDRESS, 'gate', 'sticky'].every((key) => hold[key] === command[key]);
    if (!this.#holds.some(same)) this.#holds.push(command);
    return OK;
  }

  watch(command) {
    if (!(command.gate in OUTCOMES)) return refused('unsupported', `this system has no gate "${command.gate}"`);
    this.#watches.push(command);
    return OK;
  }

  release(command) {
    const waiting = this.#waiting.find((entry) => fits(command, entry.gate));
    if (waiting === undefined) return refused('no_such_gate', `no "${command.gate}" gate waits there`);
    const outcome = outcomeOf(command.gate, command.with);
    if (outcome === undefined) return refused('unsupported', `gate "${command.gate}" has no such outcome`);
    // a chunk leaves the model call where it was: held
    if (outcome.outcome === 'chunk') waiting.chunk();
    else this.#settle(waiting, outcome);
    return OK;
  }

  /**
   * Enter a gate. Returns its outcome at once when nothing holds it, else a promise of it. `signal` ends a hold
   * that honours aborts with the outcome `aborted`. A `sync` gate cannot wait. `chunk` hears of partial outcomes;
   * `map` turns the outcome into the promise's own result in the very call that releases the gate.
   */
  enter(gate, { signal, input = {}, sync = false, chunk, map } = {}) {
    const held = sync ? -1 : this.#holds.findIndex((hold) => fits(hold, gate));
    const reactions = this.#reactions.onGate(gate);
    const watched = this.#watches.some((watch) => fits(watch, gate));
    if (held < 0 && reactions.length === 0 && !watched) return outcomeOf(gate.kind);
    this.#see(this.#observation(gate, signal, input));
    const waiting = held < 0 ? undefined : this.#wait(gate, this.#holds.splice(held, 1)[0], { signal, chunk, map });
    const given = this.#reactions.fireOnGate(reactions, gate);
    if (given !== undefined && waiting !== undefined) {
      this.#forget(waiting);
      // the runtime never sees this promise: a release by the reaction itself must not surface as unhandled
      waiting.promise.catch(() => undefined);
    }
    return given ?? waiting?.promise ?? outcomeOf(gate.kind);
  }

  /** Forget a held gate whose waiter has gone. */
  leave(promise) {
    this.#forget(this.#waiting.find((entry) => entry.promise === promise));
  }

  #observation(gate, signal, input) {
    const seen = { event: 'gate', of: gate.of, gate: gate.kind, ...input };
    for (const key of SHOWN) if (gate[key] !== undefined) seen[key] = gate[key];
    if (signal?.aborted) seen.signal = signal.reason?.kind ?? 'error';
    return seen;
  }

  #wait(gate, hold, { signal, chunk, map }) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const waiting = { gate, promise, resolve, reject, chunk, map };
    this.#waiting.push(waiting);
    if (signal !== undefined && hold.sticky !== true) {
      const abort = () => this.#settle(waiting, { outcome: 'aborted' });
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    }
    return waiting;
  }

  #settle(waiting, outcome) {
    this.#forget(waiting);
    try {
      waiting.resolve(waiting.map === undefined ? outcome : waiting.map(outcome));
    } catch (error) {
      waiting.reject(error);
    }
  }

  #forget(waiting) {
    const index = this.#waiting.indexOf(waiting);
    if (index >= 0) this.#waiting.splice(index, 1);
  }
}
