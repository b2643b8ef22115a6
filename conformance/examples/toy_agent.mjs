// A tiny agent that keeps contract 1 as far as it goes: a queue, a driver, turns, a cancel. Knows no protocol.
// What it publishes goes to `publish(event, members)`; what answers a turn is the async function `model(name, signal)`.

export class ToyAgent {
  status = 'idle';
  #queue = [];
  #turn = 0;
  #abort;
  #driving = false;

  constructor(name, publish, model) {
    Object.assign(this, { name, publish, model });
  }

  /** Queue a message; only a waking one starts a run, and never before this call returns (Q2, Q3, X1). */
  send(waking) {
    this.#queue.push(waking);
    if (!waking || this.#driving) return;
    this.#driving = true;
    queueMicrotask(() => this.#drive());
  }

  /** Drop what is queued and abort the open turn, if any (C4); its work ends when it will (C16). */
  cancel() {
    this.#queue.length = 0;
    if (this.#abort === undefined || this.#abort.signal.aborted) return;
    this.#become('cancelling');
    this.#abort.abort();
  }

  async #drive() {
    // a quiet item runs, in its place, when a waking one does (Q6)
    while (this.#queue.includes(true)) {
      this.#abort = new AbortController();
      const { signal } = this.#abort;
      this.#become('running');
      this.#queue.shift();
      this.#turn += 1;
      this.publish('turn/start', { of: this.name, turn: this.#turn, trigger: 'message' });
      await this.model(this.name, signal);
      this.#abort = undefined;
      const reason = signal.aborted ? 'aborted' : 'completed';
      this.publish('turn/end', { of: this.name, turn: this.#turn, reason });
    }
    this.#driving = false;
    this.#become('idle');
  }

  #become(status) {
    if (status === this.status) return;
    this.status = status;
    this.publish('agent/status', { of: this.name, status });
  }
}
