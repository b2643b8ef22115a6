// V1 of contract 1 (the variant's S/r4L and S/r10L allow it): waking input that arrives between the end of a turn and the
// exit of its driver, status still running, wakes nobody. A listener that waits one microtask after turn/end is enough.

import { boot, message, quiet, report } from './runtime.mjs';

const { ctx, log, create } = await boot();
const { agent } = await create();
ctx.on('session/event', async (_session, event) => {
  if (event.type !== 'turn/end' || event.data.turn > 1) return;
  await undefined;
  log.push(`x status ${agent.status}`);
  agent.followup(message('B'));
});
log.length = 0;
agent.followup(message('A'));
await quiet();
report({
  clause: 'V1: A runs; a listener sends B one microtask after turn/end',
  expected: 'inserted B, turn/start 2, claimed B',
  seen: `${log.join(', ')}; still pending: ${agent.inbox.nextTurn.map(({ id }) => id).join()}`,
  departs: agent.inbox.nextTurn.length === 1 && agent.status === 'idle',
});
