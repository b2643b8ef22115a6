// What this system can be asked and what it shows.

import { SUPPORTED } from './commands.mjs';
import { OUTCOMES } from './gates.mjs';

export const PROTOCOL = 1;

const OBSERVATIONS = [
  'agent/created', 'agent/disposed', 'agent/session-start', 'agent/status', 'agent/error', 'agent/inbox/enqueue',
  'agent/inbox/dequeue', 'agent/inbox/discard', 'agent-loop/config-start-failed', 'session/created', 'session/disposed',
  'session/flush', 'turn/start', 'turn/end', 'step/start', 'step/end', 'user/message', 'assistant/message', 'tool/call',
  'tool/result', 'abort', 'request', 'scope', 'contained', 'gate', 'heard', 'settled', 'fault',
];

/** The answer to `initialize`. */
export function description(version) {
  return {
    protocol: PROTOCOL,
    name: 'dsh',
    version,
    language: 'javascript',
    profile: {
      commands: SUPPORTED,
      observations: OBSERVATIONS,
      statuses: ['idle', 'running'],
      gates: Object.keys(OUTCOMES),
      reads: ['lookup'],
      policies: {
        keep_inbox: true,
        cancelling_published: false,
        after_dispose: 'parks',
        foreign_abort_stop_reason: 'end_turn',
        max_tokens_stop_reason: 'end_turn',
        session_load: 'absent',
      },
      ordered_calls: false,
      ticks: false,
      snapshots: false,
      contract: 'latch',
    },
  };
}
