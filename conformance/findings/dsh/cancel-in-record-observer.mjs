// C15L, C4L: a plain cancel does its whole procedure whichever listener calls it. Called by an observer of a record
// while anything is pending, it raises and aborts nothing: clearing appends an inbox record to the log being appended to.

import { boot, message, quiet, report, user } from './runtime.mjs';

const { ctx, log, create } = await boot();
const { agent } = await create();
let raised = 'nothing';
ctx.on('session/event', (_session, event) => {
  if (event.type !== 'turn/start') return;
  try {
    agent.cancel(user);
  } catch (error) {
    raised = error.message;
  }
});
log.length = 0;
agent.followup(message('A'));
await quiet();
report({
  clause: 'C15L: cancel from an observer of turn/start, with A pending',
  expected: 'discarded A, then turn/end aborted',
  seen: `cancel raised "${raised}"; ${log.join(', ')}`,
  departs: log.includes('x turn/end 1 completed'),
});
