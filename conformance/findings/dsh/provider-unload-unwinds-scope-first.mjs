// T2, T/r4L, I15L: drain, then unwind the scope, whichever trigger came first. A provider's unload unwinds the scopes of
// its agents beside their drain: a turn goes on for as long as it likes without its scoped registrations.

import { boot, message, quiet, report } from './runtime.mjs';

const { log, model, provider, create } = await boot();
const setup = (own) => {
  own.effect(() => () => { log.push('x scope unwound'); });
  own.on('session/event', (_session, event) => { if (event.type === 'turn/end') log.push('x scoped listener heard turn/end'); });
};
const { agent } = await create({ setup });
const release = model.hold();
agent.followup(message('A'));
await quiet();
log.length = 0;
provider.dispose();
await quiet();
const during = [...log];
release();
await quiet();
report({
  clause: 'T2 I15L: A runs; unload the provider; A ends',
  expected: 'turn/end aborted (heard by the scoped listener), idle, scope unwound, agent/disposed, session/disposed',
  seen: log.join(', '),
  departs: during.includes('x scope unwound') && !during.includes('x idle'),
});
