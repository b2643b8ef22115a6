// T12L, P/r2 before P/r4: in the segment of a provider's unload a create rejects as inactive. For an id that is taken it
// rejects as a duplicate.

import { boot, report } from './runtime.mjs';

const { provider, create } = await boot();
await create();
provider.dispose();
const reasons = await Promise.all(['x', 'y'].map((id) => create({ id }).catch((error) => error.message)));
report({
  clause: 'T12L P/r2: unload the provider and create x (taken) and y in one segment',
  expected: 'both: agent loop is not active',
  seen: reasons.join('; '),
  departs: /already exists/.test(reasons[0]) && /not active/.test(reasons[1]),
});
