// T12L, P/r2 before P/r4: in the segment of a provider's unload a create rejects as inactive, and so does one for an
// owner that unloads. For an id that is taken both reject as a duplicate.

import { boot, report } from './runtime.mjs';

const outcome = (created) => created.then(() => 'created', (error) => error.message);

async function providerUnloads() {
  const { provider, create } = await boot();
  await create();
  provider.dispose();
  return Promise.all(['x', 'y'].map((id) => outcome(create({ id }))));
}

async function ownerUnloads() {
  const { owner, create } = await boot();
  const { ctx: through, fiber } = await owner();
  await create({ through });
  fiber.dispose();
  return Promise.all(['x', 'y'].map((id) => outcome(create({ id, through }))));
}

const ofProvider = await providerUnloads();
const ofOwner = await ownerUnloads();
report({
  clause: 'T12L P/r2: unload the provider, or the owner, and create x (taken) and y in one segment',
  expected: 'the provider: both inactive; the owner: both inactive',
  seen: `the provider: ${ofProvider.join('; ')}. The owner: ${ofOwner.join('; ')}`,
  departs: /already exists/.test(ofProvider[0]) && /not active/.test(ofProvider[1])
    && /already exists/.test(ofOwner[0]) && !/already exists/.test(ofOwner[1]),
});
