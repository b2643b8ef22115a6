// P/r12L: the creation signal is detached when the handle is returned. It stays attached until the agent is disposed: no
// effect is seen, but a signal that outlives many agents keeps a listener (and all it reaches) for each.

import { getEventListeners } from 'node:events';
import { boot, report } from './runtime.mjs';

const { create } = await boot();
const { signal } = new AbortController();
const handle = await create({ signal });
const returned = getEventListeners(signal, 'abort').length;
await handle.dispose();
const disposed = getEventListeners(signal, 'abort').length;
report({
  clause: 'P/r12L: listeners on the creation signal, when the handle is there and after its disposal',
  expected: '0; 0',
  seen: `${returned}; ${disposed}`,
  departs: returned === 1,
});
