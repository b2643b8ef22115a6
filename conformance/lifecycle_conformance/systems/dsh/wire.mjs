// JSON-RPC 2.0 over lines: what a well-formed request is, and whose fault it is when one is not.

export const PARSE = -32700;
export const REQUEST = -32600;
export const METHOD = -32601;
export const PARAMS = -32602;
export const ADAPTER = -32000;

export class WireError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const text = (value) => typeof value === 'string';
const flag = (value) => typeof value === 'boolean';
const number = (value) => Number.isInteger(value);
const list = (value) => Array.isArray(value);
const texts = (value) => Array.isArray(value) && value.every(text);
const object = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const outcome = (value) => text(value) || object(value);
const any = () => true;

// references and subjects that a judge may leave out
const DEFAULTS = {
  create: { as: 'h1' },
  resume: { as: 'h1' },
  cancel: { cause: 'user' },
  when_idle: { as: 'w1' },
  dispose: { as: 'd1' },
  unload_owner: { as: 'u1', fiber: 'root' },
  unload_provider: { as: 'u1', provider: 'p1' },
  load_provider: { as: 'p1' },
  maintenance: { as: 'j1' },
};

// members of every command: a trailing ! marks one that must be there
const ADDRESS = { 'gate!': text, of: text, turn: number, call: number, record: text, listener: text };
const CREATE = { as: text, 'id!': text, owner: text, parent: text, sync: flag, invalid: text, signal: text };
const SEND = { 'agent!': text, 'message!': text, contexts: texts, invalid: flag };

const COMMANDS = {
  create: { ...CREATE, seed: list },
  resume: CREATE,
  abort: { 'ref!': text, reason: text },
  send: { ...SEND, wakeup: flag },
  steer: SEND,
  inject: SEND,
  cancel: { 'agent!': text, cause: text, keep_inbox: flag },
  mutate: { 'of!': text },
  when_idle: { 'agent!': text, as: text },
  dispose: { agent: text, ref: text, as: text, same_stack: flag },
  unload_owner: { fiber: text, as: text },
  unload_provider: { provider: text, as: text },
  load_provider: { as: text, owner: text, configured: list },
  hold: { ...ADDRESS, sticky: flag },
  watch: ADDRESS,
  release: { ...ADDRESS, with: outcome },
  react: { 'on!': object, then: list, throw: text, with: outcome, times: number, through: text, as: text },
  disarm: { as: text },
  read: { agent: text, session: text, store: text, owner: text, task: text, registry: flag },
  session: { 'act!': text, as: text, id: text, owner: text, store: text, record: any },
  storage: { 'act!': text, id: text, records: list },
  task: {
    'act!': text, 'task!': text, caller: text, token: text, background: flag, aborted: flag, resists: flag, spawn: text,
    outcome: text,
  },
  tool: { 'act!': text },
  executor: { 'act!': text, as: text },
  acp: { 'act!': text, session: text, message: text, as: text },
  tick: { 'agent!': text },
  maintenance: { 'agent!': text, as: text },
  remove: { 'agent!': text, 'message!': text },
  replace: { 'agent!': text, 'message!': text, 'by!': text },
};

const METHODS = {
  initialize: { protocol: number },
  reset: { policies: object },
  run: { 'bursts!': list },
};

/** Parse one line into a request; throws a WireError that carries the request's id where it has one. */
export function parse(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    throw new WireError(PARSE, `not JSON: ${error.message}`);
  }
  const known = new Set(['jsonrpc', 'id', 'method', 'params']);
  if (!object(request) || request.jsonrpc !== '2.0' || !text(request.method)) {
    throw new WireError(REQUEST, 'a request is {"jsonrpc":"2.0","id":…,"method":…,"params":…}');
  }
  for (const key of Object.keys(request)) if (!known.has(key)) throw new WireError(REQUEST, `unknown member ${key}`);
  return request;
}

/** Check a request's method and params, down to every command of every burst; fills in what may be left out. */
export function check({ method, params = {} }) {
  const members = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (members === undefined) throw new WireError(METHOD, `no method "${method}"`);
  if (!object(params)) throw new WireError(PARAMS, 'params: must be an object');
  checkMembers(params, members, 'params');
  (params.bursts ?? []).forEach((burst, index) => {
    const path = `params.bursts[${index}]`;
    if (!list(burst)) throw new WireError(PARAMS, `${path}: must be a list of commands`);
    burst.forEach((command, at) => checkCommand(command, `${path}[${at}]`));
  });
}

function checkCommand(command, path) {
  if (!object(command)) throw new WireError(PARAMS, `${path}: must be an object`);
  const { do: verb, ...fields } = command;
  if (!text(verb) || !Object.hasOwn(COMMANDS, verb)) throw new WireError(PARAMS, `${path}.do: unknown verb "${verb}"`);
  checkMembers(fields, COMMANDS[verb], path);
  for (const [key, value] of Object.entries(DEFAULTS[verb] ?? {})) command[key] ??= value;
  if (verb === 'react') (fields.then ?? []).forEach((inner, at) => checkCommand(inner, `${path}.then[${at}]`));
}

function checkMembers(given, members, path) {
  const names = new Map(Object.entries(members).map(([key, kind]) => [key.replace('!', ''), [kind, key.endsWith('!')]]));
  for (const key of Object.keys(given)) if (!names.has(key)) throw new WireError(PARAMS, `${path}.${key}: unknown member`);
  for (const [key, [kind, required]] of names) {
    if (given[key] === undefined || given[key] === null) {
      if (required) throw new WireError(PARAMS, `${path}.${key}: missing`);
    } else if (!kind(given[key])) {
      throw new WireError(PARAMS, `${path}.${key}: wrong type`);
    }
  }
}

/** One response line. */
export function respond(id, result) {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

/** One error line. */
export function fail(id, code, message) {
  return `${JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })}\n`;
}
