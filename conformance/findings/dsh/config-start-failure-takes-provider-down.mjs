// G4, G/r6: the failure of one configured agent is reported once and contained. Without persistence it is neither: the
// exception leaves the provider's constructor, so nothing is reported, no other agent starts, and no provider is there.

import { AgentLoop, boot, quiet, report } from './runtime.mjs';

const { ctx, provider } = await boot();
await provider.dispose();
ctx.sessions.create('taken');
const reports = [];
ctx.on('agent-loop/config-start-failed', ({ sessionId }) => { reports.push(sessionId); });
const agents = [{ id: 'one', sessionId: 'taken' }, { id: 'two', sessionId: 'free' }];
const loading = await ctx.plugin(AgentLoop, { agents }).then(() => 'loaded', (error) => `failed: ${error.message}`);
await quiet();
const create = await ctx.agents.create({ sessionId: 'later' }).then(() => 'works', (error) => error.message);
report({
  clause: 'G4 G/r6: load a provider with two configured agents, the id of the first is taken',
  expected: 'provider loaded; reported: taken; agents: free; create works',
  seen: `provider ${loading}; reported: ${reports.join() || 'none'}; agents: ${
    ctx.agents.list().map(({ id }) => id).join() || 'none'}; create: ${create}`,
  departs: loading.startsWith('failed') && reports.length === 0,
});
