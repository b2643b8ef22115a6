// P15L: the unload of a provider's owner frees the slot at once. It frees it some microtasks later: a successor loaded in
// the same segment is refused, and then there is none.

import { AgentLoop, boot, report } from './runtime.mjs';

const { ctx, provider, owner } = await boot();
await provider.dispose();
const own = await owner();
await own.ctx.plugin(AgentLoop, { agents: [] });
const unload = own.fiber.dispose();
const loading = await ctx.plugin(AgentLoop, { agents: [] }).then(() => 'loaded', (error) => `refused: ${error.message}`);
await unload;
const create = await ctx.agents.create({ sessionId: 'x' }).then(() => 'works', (error) => error.message);
report({
  clause: "P15L: unload the provider's owner and load another provider in one segment",
  expected: 'successor loaded; create works',
  seen: `successor ${loading}; create: ${create}`,
  departs: loading.startsWith('refused'),
});
