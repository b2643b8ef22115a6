// Loads the published packages from one installed set. Knows nothing of the protocol.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = {
  cordis: '@deepseek-ai/cordis',
  agent: '@deepseek-ai/dsh-agent',
  loop: '@deepseek-ai/dsh-agent-loop',
  llm: '@deepseek-ai/dsh-llm',
  session: '@deepseek-ai/dsh-session',
  persistence: '@deepseek-ai/dsh-session-persistence',
  prompt: '@deepseek-ai/dsh-system-prompt',
  tools: '@deepseek-ai/dsh-tools',
};

// Node 20 lacks it and the runtime asks for it; nothing else is missing there.
Promise.withResolvers ??= function withResolvers() {
  let resolve;
  let reject;
  const promise = new this((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};

/** Import every package of the set installed in `folder`; `version` is the agent loop's. */
export async function loadPackages(folder) {
  const manifest = join(folder, 'package.json');
  const resolver = createRequire(manifest);
  const loaded = {};
  for (const [key, name] of Object.entries(NAMES)) {
    loaded[key] = await import(pathToFileURL(resolver.resolve(name)).href);
  }
  const loop = resolver.resolve(`${NAMES.loop}/package.json`);
  loaded.version = JSON.parse(readFileSync(loop, 'utf8')).version;
  return loaded;
}
