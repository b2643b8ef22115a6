// P10, I13: of concurrent transactions of one id, entering the store decides, and the first to enter is published. While
// a resume of the id still reads from storage (where nothing is stored), a create is announced and then taken back.

import { OPTIONS, boot, follows, quiet, report } from './runtime.mjs';
import { memory } from './persistence.mjs';

async function attempt(resuming) {
  const { Memory, hooks } = memory();
  const { ctx, log, create } = await boot({ persistence: Memory });
  const read = Promise.withResolvers();
  hooks.reading = () => read.promise;
  const resume = resuming ? follows(ctx.agents.resume({ resumeSessionId: 'x', agentOptions: OPTIONS })) : undefined;
  await quiet();
  const came = await create().then(() => 'works', (error) => error.message);
  const seen = `${came} (${log.join(', ')})`;
  read.resolve();
  await quiet();
  return resume === undefined ? seen : `${seen}; then the resume: ${resume.is}`;
}

const alone = await attempt(false);
const beside = await attempt(true);
report({
  clause: 'P10: nothing is stored under x; create x while a resume of x reads from storage',
  expected: `as without the resume: ${alone}`,
  seen: beside,
  departs: alone.startsWith('works') && beside.startsWith('cannot publish'),
});
