// L7: a failing dispatch of a disposed event leaves the entry gone and raises to nobody. A dispatch check that rejects
// agent/disposed leaves the session in the store for good, and the disposal rejects.

import { boot, report } from './runtime.mjs';

const { ctx, create } = await boot();
const handle = await create();
ctx.on('internal/dispatch', (_mode, name) => {
  if (name === 'agent/disposed') throw new Error('the dispatch failed');
});
const disposal = await handle.dispose().then(() => 'resolved', (error) => `rejected: ${error.message}`);
const again = await create().then(() => 'works', (error) => error.message);
report({
  clause: 'L7: the dispatch of agent/disposed fails; create the same id again',
  expected: 'dispose resolved; sessions: none; create works',
  seen: `dispose ${disposal}; sessions: ${ctx.sessions.list().map(({ id }) => id).join() || 'none'}; create: ${again}`,
  departs: ctx.sessions.list().length === 1 && disposal.startsWith('rejected'),
});
