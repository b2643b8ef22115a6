// Names of messages, calls and records: the judge's on one side, the runtime's own on the other.

/** A user message under the judge's id; the runtime accepts a hand-built identified one. */
export function userMessage(id) {
  return Object.freeze({
    id,
    role: 'user',
    content: Object.freeze([Object.freeze({ type: 'text', text: id })]),
    source: Object.freeze({ kind: 'user' }),
  });
}

/** A message that is not lossless JSON, which every send form must refuse. */
export function invalidMessage(id) {
  return { id, role: 'user', content: [{ type: 'text', text: 1n }], source: { kind: 'user' } };
}

const SHOWN = new Set([
  'turn/start', 'turn/end', 'step/start', 'step/end', 'user/message', 'assistant/message', 'tool/call', 'tool/result',
]);

/** Whether a record is one of the contract's; inbox, request, chunk and seed-boundary records are not. */
export function isRecord(type) {
  return SHOWN.has(type);
}

/** The contract's records among a log's events, as a read shows them. */
export function recordsOf(events, names) {
  const shown = events.filter((event) => isRecord(event.type));
  return shown.map((event) => {
    const { of: _of, ...record } = flatten('', event, names);
    return record;
  });
}

/** One record as a flattened observation of its session. */
export function flatten(of, event, names) {
  const { type, data } = event;
  switch (type) {
    case 'turn/start':
      return { event: type, of, turn: data.turn };
    case 'turn/end':
      return turnEnd(of, data);
    case 'step/start':
    case 'step/end':
      return { event: type, of, turn: data.turn, step: data.step };
    case 'user/message':
      return { event: type, of, message: names.of(data.id) };
    case 'assistant/message':
      return assistant(of, data, names);
    case 'tool/call':
      return { event: type, of, id: data.callId };
    case 'tool/result':
      return toolResult(of, data, names);
    default:
      return { event: type, of };
  }
}

function turnEnd(of, data) {
  const { kind, reason } = data.reason;
  const end = { event: 'turn/end', of, turn: data.turn, reason: kind };
  if (kind === 'aborted') end.cause = causeOf(reason);
  return end;
}

function assistant(of, data, names) {
  const message = `am${data.turn}.${data.step}`;
  names.learn(data.message.id, message);
  const record = { event: 'assistant/message', of, message };
  if (data.interrupted === true) record.interrupted = true;
  return record;
}

function toolResult(of, data, names) {
  const id = data.message.source.callId;
  names.learn(data.message.id, `tr${id}`);
  const result = { event: 'tool/result', of, id };
  // the contract names one code; others are the runtime's own words for an error
  if (data.error?.code === 'ABORTED_BEFORE_DISPATCH') result.code = data.error.code;
  return result;
}

/** A cancellation cause as the judge's word. */
export function causeOf(reason) {
  return reason?.kind ?? 'error';
}

/** A cause as the runtime wants it: a hook names itself. */
export function causeFor(word) {
  return word === 'hook' ? { kind: 'hook', reason: 'judge' } : { kind: word };
}

/** Maps the ids the runtime mints to the judge's names; the judge's own ids pass unchanged. */
export class Names {
  #known = new Map();
  #labels = [];
  #subjects = new Map();

  /** A configured agent without an exact id gets a minted one; the judge knows it by its label. */
  expect(label) {
    this.#labels.push(label);
  }

  /** The judge's name of an agent or session. */
  subject(id) {
    const label = this.#labels.find((one) => id.startsWith(`${one}-session-`));
    if (label === undefined) return id;
    this.#subjects.set(label, id);
    return label;
  }

  /** The runtime's id of what the judge names. */
  idOf(name) {
    return this.#subjects.get(name) ?? name;
  }

  learn(id, name) {
    this.#known.set(id, name);
  }

  of(id) {
    return this.#known.get(id) ?? id;
  }
}

/** Build the runtime's own events from flattened records, for a seed or a stored log. */
export function eventsFrom(flattened) {
  let turn = 0;
  let step = 0;
  return flattened.map((record, seq) => {
    turn = record.turn ?? turn;
    step = record.step ?? step;
    return { type: record.event, seq, time: 0, ...bodyFrom(record, turn, step) };
  });
}

function bodyFrom(record, turn, step) {
  switch (record.event) {
    case 'turn/start':
      return { data: { turn } };
    case 'turn/end': {
      const reason = record.reason === 'aborted' ? { reason: causeFor(record.cause ?? 'user') } : {};
      return { data: { turn, reason: { kind: record.reason, ...reason } } };
    }
    case 'step/start':
    case 'step/end':
      return { data: { turn, step } };
    case 'user/message':
      return { data: userMessage(record.message), surfaceOp: 'append' };
    case 'assistant/message':
      return { data: { turn, step, message: assistantMessage(record, turn, step) }, surfaceOp: 'append' };
    case 'tool/call':
      return { data: { turn, step, callId: record.id, name: 'judge', arguments: '{}' } };
    case 'tool/result':
      return { data: { turn, step, message: resultMessage(record.id) }, surfaceOp: 'append' };
    default:
      return { data: {} };
  }
}

function assistantMessage(record, turn, step) {
  const calls = Array.from({ length: record.tools ?? 0 }, (_, index) => toolCall(turn, step, index + 1));
  return {
    id: `am${turn}.${step}`,
    role: 'assistant',
    content: [{ type: 'text', text: 'stored' }, ...calls],
    source: { kind: 'model', provider: 'judge', model: 'judge' },
  };
}

/** The content block that asks for call number `call` of a step. */
export function toolCall(turn, step, call) {
  return { type: 'tool-call', id: `${turn}.${step}.${call}`, name: 'judge', arguments: '{}' };
}

function resultMessage(id) {
  const content = [{ type: 'tool-result', toolCallId: id, content: [], isError: false }];
  return { id: `tr${id}`, role: 'user', content, source: { kind: 'tool', callId: id } };
}
