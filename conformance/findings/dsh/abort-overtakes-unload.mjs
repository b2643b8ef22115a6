// X3L P8L: an unload deactivates at once, and the first deactivation reason is the rejection. An abort of the creation
// later in that segment takes the unload's place.

import { boot, quiet, report } from './runtime.mjs';

const WANTED = 'no longer wanted';

async function rejection(unload, { aborts }) {
  const system = await boot();
  const { ctx: through, fiber } = await system.owner();
  const controller = new AbortController();
  const setup = () => Promise.withResolvers().promise;
  const creation = system.create({ through, setup, signal: controller.signal }).catch((error) => error.message);
  await quiet();
  (unload === 'provider' ? system.provider : fiber).dispose();
  if (aborts) controller.abort(new Error(WANTED));
  return creation;
}

const alone = await Promise.all(['provider', 'owner'].map((one) => rejection(one, { aborts: false })));
const both = await Promise.all(['provider', 'owner'].map((one) => rejection(one, { aborts: true })));
report({
  clause: 'X3L P8L: a creation is in setup; its provider, or its owner, is unloaded and then it is aborted, in one segment',
  expected: `rejected: ${alone.join('; or ')}`,
  seen: `rejected: ${both.join('; or ')}`,
  departs: both.includes(WANTED) && !alone.includes(WANTED),
});
