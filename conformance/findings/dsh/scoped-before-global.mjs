// P2: of the created and started notifications, global listeners run before scoped ones. They run in the order they were
// registered.

import { boot, report } from './runtime.mjs';

const { ctx, create } = await boot();
const heard = [];
const setup = (own) => {
  own.on('agent/created', () => { heard.push('scoped'); });
  ctx.on('agent/created', () => { heard.push('global'); });
};
await create({ setup });
report({
  clause: 'P2: setup registers a scoped listener, then somebody a global one',
  expected: 'global, scoped',
  seen: heard.join(', '),
  departs: heard.join() === 'scoped,global',
});
