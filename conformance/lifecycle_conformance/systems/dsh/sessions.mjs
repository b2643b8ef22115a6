// The verbs of sessions, on directly created ones and on an agent's own.

import { OK, Asked, refusal, refused } from './answers.mjs';
import { eventsFrom } from './messages.mjs';

export class Sessions {
  #system;
  #made = new Map();

  constructor(system) {
    this.#system = system;
  }

  perform(command) {
    const { act, as, id, owner } = command;
    const { sessions } = this.#system.root;
    try {
      switch (act) {
        case 'create':
          this.#create(as ?? id, id, this.#ctx(owner));
          return OK;
        case 'prepare':
          this.#made.set(as ?? id, { session: sessions.prepare(id) });
          return OK;
        case 'enter': {
          const made = this.#find(as ?? id);
          made.detach = this.#ctx(owner).sessions.enter(made.session);
          return OK;
        }
        case 'announce':
          sessions.announce(this.#find(as ?? id).session);
          return OK;
        case 'detach':
          this.#find(as ?? id).detach?.();
          return OK;
        case 'append':
          return this.#append(this.#find(as ?? id).session, command.record);
        case 'flush':
          return this.#flush(as, this.#find(id).session);
        default:
          return refused('unsupported', `this system has no session act "${act}"`);
      }
    } catch (error) {
      return refusal(error);
    }
  }

  /** A session made here that may be in no store. */
  made(name) {
    return this.#made.get(name)?.session;
  }

  #create(name, id, ctx) {
    const session = ctx.sessions.create(id);
    // the store hands out no detach of its own: the owner's effect is the session's only disposer
    const effect = this.#system.packages.cordis.symbols.effect;
    const detach = [...ctx.fiber._disposables].findLast((disposer) => disposer[effect]?.label === 'sessions.create()');
    this.#made.set(name, { session, detach });
  }

  #ctx(owner) {
    const found = this.#system.owners.get(owner ?? 'root');
    if (found === undefined) throw new Asked('not_live', `no owner "${owner}"`);
    return found.ctx;
  }

  #find(name) {
    const made = this.#made.get(name);
    if (made !== undefined) return made;
    const session = this.#system.root.sessions.get(name) ?? this.#system.agents.find(name)?.session;
    if (session === undefined) throw new Asked('unknown_session', `no session "${name}"`);
    return { session };
  }

  #append(session, record) {
    const [{ type, data, surfaceOp }] = eventsFrom([record]);
    const options = surfaceOp === undefined ? [] : [{ surfaceOp }];
    session.append(type, data, ...options);
    return OK;
  }

  #flush(as, session) {
    // a flush that no listener hears of neither starts nor settles
    const live = this.#system.root.sessions.get(session.id) === session;
    const settled = (ok) => {
      if (live) this.#system.see({ event: 'session/flush', of: session.id, state: 'settled', ok });
    };
    const flushed = this.#system.root.sessions.flush(session).then(
      () => settled(true),
      (error) => {
        settled(false);
        throw live ? new Asked('flush_failed', error.message) : error;
      },
    );
    return this.#system.settle(as, flushed, () => null);
  }
}
