// Q/r8L: a turn stops only when nothing is owed. After one step that ended by max-tokens, a later step of the same turn
// that calls tools ends the turn: no request ever carries the results.

import { boot, message, quiet, report } from './runtime.mjs';

const { ctx, model, create } = await boot();
ctx.tools.register({
  name: 'work',
  description: 'does nothing',
  parameters: { type: 'object', properties: {} },
  output: { schema: { type: 'string' }, render: (_args, text) => [{ type: 'text', text }] },
  execute: async () => 'worked',
});
const { agent } = await create();
const [first, second] = [model.hold(), model.hold()];
agent.followup(message('A'));
agent.steer(message('S'));
await quiet();
first([{ type: 'finish', reason: { kind: 'max-tokens' } }]);
await quiet();
second([
  { type: 'tool-call-delta', index: 1, id: 'call', name: 'work', argumentsDelta: '{}' },
]);
await quiet();
const records = agent.session.events.map((event) => event.type).filter((type) => /^(turn|step|tool|assistant\/m)/.test(type));
report({
  clause: 'Q/r8L: step 1 ends by max-tokens with steering pending; step 2 calls a tool',
  expected: '... tool/call, tool/result, step/end, step/start (3), assistant/message, step/end, turn/end',
  seen: records.join(', '),
  departs: records.slice(-4).join() === 'tool/call,tool/result,step/end,turn/end',
});
