// P7, P10: a failed transaction leaves nothing, and its id is as free as before. A create on an id with a stored log
// works; after a resume of that id has failed, or while one is in setup, the same create is announced and taken back.

import { OPTIONS, boot, report } from './runtime.mjs';
import { memory } from './persistence.mjs';

async function attempt(failFirst) {
  const { Memory, put } = memory();
  const { ctx, log, create } = await boot({ persistence: Memory });
  put('x');
  const setup = () => Promise.reject(new Error('setup failed'));
  if (failFirst) await ctx.agents.resume({ resumeSessionId: 'x', agentOptions: OPTIONS, setup }).catch(() => undefined);
  const came = await create().then(() => 'works', (error) => error.message);
  return `${came} (${log.join(', ')})`;
}

const before = await attempt(false);
const after = await attempt(true);
report({
  clause: 'P7: create x over a stored log; the same after a failed resume of x',
  expected: `both alike: ${before}`,
  seen: `after the failed resume: ${after}`,
  departs: before.startsWith('works') && after.startsWith('cannot publish'),
});
