// T5L, S/r3L: once teardown has begun, input to the activity it met is never latched. If that activity had been
// cancelled by somebody else before, it is latched after all, and a new turn runs on a disposed agent.

import { boot, message, quiet, report, user } from './runtime.mjs';

const { log, model, create } = await boot();
const handle = await create();
const release = model.hold();
handle.agent.followup(message('A'));
await quiet();
handle.agent.cancel(user);
handle.dispose();
await quiet();
log.length = 0;
handle.agent.followup(message('B'));
release();
await quiet();
report({
  clause: 'T5L: A runs; cancel(user); dispose; send B; A ends',
  expected: 'inserted B (it parks), turn/end 1 aborted, idle, agent/disposed, session/disposed',
  seen: log.join(', '),
  departs: log.includes('x turn/start 2'),
});
