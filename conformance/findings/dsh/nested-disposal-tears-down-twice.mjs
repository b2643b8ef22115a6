// T1, T/r7L: teardown runs once; a trigger during it changes nothing. A disposal asked for by a discard listener of the
// disposal itself starts a second teardown, which discards what came in between.

import { boot, message, report } from './runtime.mjs';

const { ctx, log, create } = await boot();
const handle = await create();
handle.agent.inject(message('I'));
let nested = false;
ctx.on('agent/inbox/discarded', () => {
  if (nested) return;
  nested = true;
  handle.agent.inject(message('J'));
  handle.dispose();
});
log.length = 0;
await handle.dispose();
report({
  clause: 'T1 T/r7L: I pending; dispose; the discard listener injects J and disposes again',
  expected: 'discarded I, inserted J (it parks), agent/disposed, session/disposed',
  seen: log.join(', '),
  departs: log.includes('x discarded J'),
});
