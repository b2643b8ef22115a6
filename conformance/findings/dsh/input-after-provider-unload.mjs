// T5L, S7L: an agent whose provider has unloaded parks what it is sent. Here a waking send says "running", raises, and
// leaves the agent running for ever: no driver is there, and when_idle never resolves.

import { boot, follows, message, quiet, report } from './runtime.mjs';

const { log, provider, create } = await boot();
const { agent } = await create();
await provider.dispose();
log.length = 0;
let raised = 'nothing';
try {
  agent.followup(message('B'));
} catch (error) {
  raised = error.message;
}
const idle = follows(agent.whenIdle());
await quiet();
report({
  clause: 'T5L S7L: unload the provider; send B to its old agent; when_idle',
  expected: 'inserted B (it parks); when_idle resolves',
  seen: `${log.join(', ')}; send raised "${raised}"; status ${agent.status}; when_idle ${idle.is}`,
  departs: agent.status === 'running' && idle.is === 'pending',
});
