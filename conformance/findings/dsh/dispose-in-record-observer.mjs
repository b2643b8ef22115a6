// C15L, T2, I15L: a disposal asked for inside a record's dispatch still drains, unwinds, detaches, in this order. With
// anything pending it detaches both entries on the spot, in the middle of the turn, and never unwinds the scope.

import { boot, follows, message, quiet, report } from './runtime.mjs';

const { ctx, log, model, create } = await boot();
let unwound = false;
const handle = await create({ setup: (own) => { own.effect(() => () => { unwound = true; }); } });
const release = model.hold();
let disposal;
ctx.on('session/event', (_session, event) => {
  if (event.type === 'turn/start') disposal = follows(handle.dispose());
});
log.length = 0;
handle.agent.followup(message('A'));
await quiet();
const during = `status ${handle.agent.status}, dispose ${disposal.is}`;
release();
await quiet();
report({
  clause: 'C15L T2 I15L: dispose from an observer of turn/start, with A pending',
  expected: 'discarded A, turn/end aborted, idle, scope unwound, agent/disposed, session/disposed; dispose resolves',
  seen: `${log.join(', ')}; while the model still ran: ${during}; scope unwound: ${unwound}`,
  departs: log.indexOf('x agent/disposed') < log.indexOf('x idle') && !unwound,
});
