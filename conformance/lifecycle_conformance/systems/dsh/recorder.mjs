// Translates what the runtime publishes into the protocol's observations. Decides nothing.

import { causeOf, flatten, isRecord } from './messages.mjs';

const TRANSLATIONS = {
  'session/created': ([session]) => ({ event: 'session/created', of: session.id }),
  'session/disposed': ([session]) => ({ event: 'session/disposed', of: session.id }),
  'session/flush': ([session]) => ({ event: 'session/flush', of: session.id, state: 'start' }),
  'agent/created': ([{ agent }]) => ({ event: 'agent/created', of: agent.id }),
  'agent/disposed': ([{ agent }]) => ({ event: 'agent/disposed', of: agent.id }),
  'agent/session-start': ([{ agent, source }]) => ({ event: 'agent/session-start', of: agent.id, source }),
  'agent/status': ([{ agent, status }]) => ({ event: 'agent/status', of: agent.id, status }),
  'agent/error': ([{ agent, turn, step }]) => ({ event: 'agent/error', of: agent.id, turn, step }),
  'agent/inbox/inserted': ([{ agent, message }], names) => ({
    event: 'agent/inbox/enqueue', of: agent.id, item: names.of(message.id),
  }),
  'agent/inbox/claimed': ([{ agent, message }], names) => ({
    event: 'agent/inbox/dequeue', of: agent.id, item: names.of(message.id),
  }),
  'agent/inbox/discarded': ([{ agent, message }], names) => ({
    event: 'agent/inbox/discard', of: agent.id, items: [{ id: names.of(message.id) }],
  }),
  'agent-loop/config-start-failed': ([{ sessionId }]) => ({ event: 'agent-loop/config-start-failed', of: sessionId }),
  'session/event': ([session, event], names) => (isRecord(event.type) ? flatten(session.id, event, names) : undefined),
};

const CONTAINED = [
  [/^agent event "([^"]+)" listener (threw|rejected)/, (match) => match[1]],
  [/^agent "[^"]*": (agent\/[a-z-]+) listener (threw|rejected)/, (match) => match[1]],
  [/^session "[^"]*": (session\/[a-z-]+) listener (threw|rejected)/, (match) => match[1]],
  [/^agent "[^"]*": (config-start-failed) listener (threw|rejected)/, () => 'agent-loop/config-start-failed'],
];

export class Recorder {
  #system;
  #watched = new WeakSet();

  constructor(system) {
    this.#system = system;
  }

  /** Listen on the root before anything else does, so that every other listener runs after the record. */
  install() {
    const { root } = this.#system;
    for (const name of Object.keys(TRANSLATIONS)) {
      root.on(name, (...args) => {
        const seen = this.translate(name, args);
        if (seen === undefined) return;
        this.#system.see(seen);
        this.#system.agents.note(name, args);
      });
    }
    // warnings are below the default level, and every containment is one
    root.logger.exporter({ levels: { default: 3 }, export: (message) => this.#logged(message) });
  }

  translate(name, args) {
    const { names } = this.#system;
    const seen = TRANSLATIONS[name](args, names);
    return seen && { ...seen, of: names.subject(seen.of) };
  }

  /** Watch an activity's signal from the first hook that is handed it. */
  watch(agent, signal) {
    if (signal === undefined || this.#watched.has(signal)) return;
    this.#watched.add(signal);
    const aborted = () => {
      const seen = { event: 'abort', of: this.#system.names.subject(agent.id), reason: causeOf(signal.reason) };
      this.#system.see(seen);
      this.#system.reactions.fireOnLocal(seen);
    };
    if (!signal.aborted) signal.addEventListener('abort', aborted, { once: true });
  }

  #logged({ args }) {
    const [text] = args;
    if (typeof text !== 'string') return;
    for (const [pattern, eventOf] of CONTAINED) {
      const match = pattern.exec(text);
      if (match === null) continue;
      const seen = this.#system.reactions.contained(eventOf(match));
      if (seen !== undefined) this.#system.see({ event: 'contained', of: seen.of, name: seen.event });
    }
  }
}
