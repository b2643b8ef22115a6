// Answers of commands: what was returned, or why it was refused, in the protocol's words.

/** An error the judge asked for; its `code` is the refusal it should come back as. */
export class Asked extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** A plain value thrown on request, which must come back as the same value. */
export const PLAIN = 'judge';

const CODES = [
  [/is already pending/, 'invalid_message'],
  [/non-JSON-serializable|not losslessly JSON/, 'invalid_message'],
  [/append cannot reenter/, 'reentrant_append'],
  [/already has active work/, 'busy'],
  [/lifecycle disposed/, 'disposed'],
  [/owner disposed during setup|inactive context|without inject/, 'inactive_owner'],
  [/agent loop is not active|no agent factory registered/, 'inactive_provider'],
  [/agent factory is already registered|service "agentLoop" has been registered/, 'provider_taken'],
  [/duplicate exact session identity|are mutually exclusive/, 'conflicting_ids'],
  [/persistence is not configured/, 'no_persistence'],
  [/already attached to a store/, 'already_entered'],
  [/already exists|already registered|while it is live/, 'duplicate_id'],
  [/was already announced/, 'already_announced'],
  [/is not live in this/, 'not_live'],
  [/not found/, 'not_stored'],
  [/no longer matches its persistence state|already owns this identity/, 'stale_log'],
  [/creation aborted/, 'aborted'],
];

/** The refusal that a thrown value or error is. */
export function refusal(error) {
  if (error instanceof Asked) return { refused: error.code, message: error.message };
  if (!(error instanceof Error)) return { refused: 'value', value: error };
  const known = CODES.find(([pattern]) => pattern.test(error.message));
  return { refused: known === undefined ? 'invalid' : known[1], message: error.message };
}

/** A refusal of the adapter's own. */
export function refused(code, message) {
  return { refused: code, message };
}

export const OK = Object.freeze({ ok: null });
