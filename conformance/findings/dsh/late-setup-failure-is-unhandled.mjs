// P6: the late result of a setup is inert. When the creation is deactivated while setup's first, synchronous part runs,
// nobody listens to setup's promise: its later failure is an unhandled rejection, which ends a Node process by default.

import { boot, follows, quiet, report } from './runtime.mjs';

const unhandled = [];
process.on('unhandledRejection', (error) => unhandled.push(error.message));
const { create } = await boot();
const controller = new AbortController();
const late = Promise.withResolvers();
const setup = () => {
  controller.abort(new Error('no longer wanted'));
  return late.promise;
};
const creation = follows(create({ setup, signal: controller.signal }));
await quiet();
late.reject(new Error('the late failure of setup'));
await quiet();
report({
  clause: 'P6: setup aborts its own creation, then fails later',
  expected: 'creation rejected: no longer wanted; nothing else',
  seen: `creation ${creation.is}; unhandled rejections: ${unhandled.join(', ') || 'none'}`,
  departs: unhandled.length === 1,
});
