// Stored logs: an in-memory backend under the published persistence coordinator, and the judge's storage verbs.

import { OK, Asked, refused } from './answers.mjs';
import { eventsFrom, recordsOf } from './messages.mjs';

// batches are written at a flush or at disposal, never by a clock
const NEVER = 2 ** 31 - 1;

class MemoryBackend {
  name = 'judge-memory';
  logs = new Map();
  #system;

  constructor(system) {
    this.#system = system;
  }

  async loadStored(id) {
    // creations probe the store too; only a load that a resume waits for is the contract's gate
    const [waiting] = this.#system.storage.loading.get(id) ?? [];
    if (waiting !== undefined) {
      const outcome = await this.#system.gates.enter({ kind: 'load', of: waiting });
      if (outcome.outcome === 'missing') return undefined;
      if (outcome.outcome !== 'ok') throw outcome.error ?? new Asked('load_failed', 'the judge failed the load');
    }
    const log = this.logs.get(id);
    if (log === undefined) return undefined;
    return { meta: { ...log.meta }, events: structuredClone(log.events), revision: String(log.events.length) };
  }

  async readStoredRevision(id) {
    const log = this.logs.get(id);
    return log === undefined ? undefined : String(log.events.length);
  }

  async appendBatch(meta, events) {
    const log = this.logs.get(meta.id) ?? { meta: { ...meta }, events: [] };
    log.events.push(...structuredClone(events));
    this.logs.set(meta.id, log);
  }

  async commitRepair(meta, _torn, closers) {
    await this.appendBatch(meta, closers);
  }

  async list() {
    return [...this.logs.values()].map((log) => ({ ...log.meta }));
  }
}

export class Storage {
  #system;
  #backend;
  #fiber;
  loading = new Map();

  constructor(system) {
    this.#system = system;
    this.#backend = new MemoryBackend(system);
  }

  async on() {
    const { PersistenceCoordinator, SessionPersistence } = this.#system.packages.persistence;
    const backend = this.#backend;
    const { loading } = this;
    const system = this.#system;
    class JudgePersistence extends SessionPersistence {
      static inject = ['sessions'];
      constructor(ctx) {
        super(ctx);
        const options = { preparedSessionCacheSize: 5, writeBatchMaxDelayMs: NEVER };
        this.coordinator = new PersistenceCoordinator(ctx, backend, options);
      }
      async prepare(id, signal) {
        const waiting = system.agents.resuming(id);
        loading.set(id, [...(loading.get(id) ?? []), waiting]);
        try {
          return await this.coordinator.prepare(id, signal);
        } finally {
          loading.set(id, loading.get(id).filter((name) => name !== waiting));
        }
      }
      load(id) {
        return this.coordinator.load(id);
      }
      list() {
        return backend.list();
      }
    }
    this.#fiber = this.#system.root.plugin(JudgePersistence);
    await this.#fiber;
  }

  /** Stop the write timers of a runtime that is being dropped. */
  off() {
    const fiber = this.#fiber;
    this.#fiber = undefined;
    return fiber === undefined ? Promise.resolve() : this.#system.quiesce(fiber);
  }

  perform({ act, id, records = [] }) {
    switch (act) {
      case 'put': {
        const meta = { version: this.#system.packages.session.SESSION_FORMAT_VERSION, id, createdAt: 0 };
        this.#backend.logs.set(id, { meta, events: eventsFrom(records) });
        return OK;
      }
      case 'load':
        return { ok: this.read(id) };
      case 'off':
        this.off();
        return OK;
      case 'on':
        if (this.#fiber === undefined) this.on().catch((error) => this.#system.fault(error));
        return OK;
      default:
        return refused('unsupported', `this system has no storage act "${act}"`);
    }
  }

  /** The stored log, or null. */
  read(id) {
    const log = this.#backend.logs.get(id);
    return log === undefined ? null : recordsOf(log.events, this.#system.names);
  }
}
