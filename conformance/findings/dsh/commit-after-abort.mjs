// P/r6L: setup settles, then the check, then the commit. A creation that is deactivated in the moment its setup succeeds
// is checked only after the commit: the commit of a dead creation runs, and its error replaces the reason (P8L).

import { boot, quiet, report } from './runtime.mjs';

const { create } = await boot();
const controller = new AbortController();
const ready = Promise.withResolvers();
let committed = false;
const creation = create({ setup: () => ready.promise, signal: controller.signal }).catch((error) => error.message);
await quiet();
ready.resolve({
  commit: () => {
    committed = true;
    throw new Error('the commit failed');
  },
});
controller.abort(new Error('no longer wanted'));
const reason = await creation;
report({
  clause: 'P/r6L P8L: setup succeeds and the creation is aborted in one segment; its commit would throw',
  expected: 'no commit; rejected: no longer wanted',
  seen: `${committed ? 'the commit ran' : 'no commit'}; rejected: ${reason}`,
  departs: committed && reason === 'the commit failed',
});
