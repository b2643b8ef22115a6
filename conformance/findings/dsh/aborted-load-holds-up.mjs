// D5: a load whose resume was deactivated holds up nothing. The next resume of the same id waits for the read that the
// aborted one began, however long that takes.

import { OPTIONS, boot, follows, quiet, report } from './runtime.mjs';
import { memory } from './persistence.mjs';

const { Memory, put, hooks } = memory();
const { ctx } = await boot({ persistence: Memory });
put('x');
let reads = 0;
const first = Promise.withResolvers();
hooks.reading = () => {
  reads += 1;
  return reads === 1 ? first.promise : undefined;
};
const controller = new AbortController();
const resume = (signal) => follows(ctx.agents.resume({ resumeSessionId: 'x', agentOptions: OPTIONS, signal }));
const aborted = resume(controller.signal);
await quiet();
controller.abort(new Error('no longer wanted'));
await quiet();
const next = resume();
await quiet();
const seen = `first ${aborted.is}; second ${next.is}, storage read ${reads} time(s)`;
const departs = next.is === 'pending' && reads === 1;
first.resolve();
await quiet();
report({
  clause: 'D5: the storage read of a resume hangs; abort that resume; resume the id again',
  expected: 'first rejected: no longer wanted; second resolved',
  seen: `${seen}; after the first read ended: second ${next.is}`,
  departs,
});
