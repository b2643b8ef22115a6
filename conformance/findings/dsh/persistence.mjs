// The published persistence coordinator over a backend in memory, for the reproductions that resume.

import { load } from './runtime.mjs';

const { PersistenceCoordinator, SessionPersistence } = await load('dsh-session-persistence');
const { SESSION_FORMAT_VERSION } = await load('dsh-session');

/** A plugin class for `boot`; `reading` may hold a read, `put` stores a log of one empty completed turn. */
export function memory() {
  const logs = new Map();
  const hooks = { reading: async () => undefined };
  const backend = {
    name: 'memory',
    async loadStored(id) {
      await hooks.reading(id);
      const log = logs.get(id);
      return log && { meta: { ...log.meta }, events: structuredClone(log.events), revision: String(log.events.length) };
    },
    readStoredRevision: async (id) => (logs.has(id) ? String(logs.get(id).events.length) : undefined),
    async appendBatch(meta, events) {
      const log = logs.get(meta.id) ?? { meta: { ...meta }, events: [] };
      log.events.push(...structuredClone(events));
      logs.set(meta.id, log);
    },
    commitRepair: (meta, _torn, closers) => backend.appendBatch(meta, closers),
    list: async () => [...logs.values()].map((log) => log.meta),
  };
  const put = (id) => logs.set(id, {
    meta: { version: SESSION_FORMAT_VERSION, id, createdAt: 0 },
    events: [
      { type: 'turn/start', seq: 0, time: 0, data: { turn: 1 } },
      { type: 'turn/end', seq: 1, time: 0, data: { turn: 1, reason: { kind: 'completed' } } },
    ],
  });
  class Memory extends SessionPersistence {
    static inject = ['sessions'];

    constructor(ctx) {
      super(ctx);
      this.coordinator = new PersistenceCoordinator(ctx, backend);
    }

    prepare = (id, signal) => this.coordinator.prepare(id, signal);

    load = (id) => this.coordinator.load(id);

    list = () => backend.list();
  }
  return { Memory, put, hooks };
}
