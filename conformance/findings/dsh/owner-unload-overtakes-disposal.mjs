// T1: every concurrent dispose or unload completes only when the teardown has. An owner's unload that finds a disposal
// under way does not wait for it.

import { boot, follows, message, quiet, report } from './runtime.mjs';

const { log, model, owner, create } = await boot();
const own = await owner();
const handle = await create({ through: own.ctx });
const release = model.hold();
handle.agent.followup(message('A'));
await quiet();
const disposal = follows(handle.dispose());
const unload = follows(own.fiber.dispose());
await quiet();
const seen = `unload ${unload.is}, dispose ${disposal.is}, status ${handle.agent.status}`;
const early = unload.is === 'resolved' && disposal.is === 'pending';
release();
await quiet();
report({
  clause: 'T1: A runs; dispose by the handle; unload the owner; A still runs',
  expected: 'unload pending, dispose pending, status running',
  seen: `${seen}; later ${log.slice(-2).join(', ')}`,
  departs: early,
});
