// T5L, I15L: from the unwinding of the scope on, input parks. Here waking input starts a run while the scope unwinds, and
// again after the disposal has ended: a turn with a model request, on an agent that is in no registry.

import { boot, message, quiet, report } from './runtime.mjs';

const { log, create } = await boot();
const unwinding = Promise.withResolvers();
const handle = await create({ setup: (own) => { own.effect(() => () => unwinding.promise); } });
const disposal = handle.dispose();
await quiet();
log.length = 0;
handle.agent.followup(message('B'));
await quiet();
const during = [...log];
unwinding.resolve();
await disposal;
log.length = 0;
handle.agent.followup(message('C'));
await quiet();
report({
  clause: 'T5L: dispose, scope held; send B; the scope unwinds; dispose resolves; send C',
  expected: 'inserted B; inserted C',
  seen: `${during.join(', ')}; after the disposal: ${log.join(', ')}`,
  departs: during.includes('x running') && log.includes('x running'),
});
