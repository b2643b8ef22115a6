// T15L, T1: children leave while their parent's scope unwinds, so never after the parent. A child whose own disposal is
// under way is not waited for (the same cause as owner-unload-overtakes-disposal).

import { boot, message, quiet, report } from './runtime.mjs';

const { log, model, create } = await boot();
const parent = await create();
const child = await create({ id: 'y', through: parent.agent.ctx });
const release = model.hold();
child.agent.followup(message('A'));
await quiet();
child.dispose();
parent.dispose();
await quiet();
const before = [...log];
release();
await quiet();
report({
  clause: 'T15L: A of child y runs; dispose y; dispose its parent x; A ends',
  expected: 'y agent/disposed, y session/disposed, then x agent/disposed, x session/disposed',
  seen: log.filter((word) => word.endsWith('disposed')).join(', '),
  departs: before.includes('x agent/disposed') && !before.includes('y agent/disposed'),
});
