// The published TypeScript runtime as a system under test: protocol 1 on stdin and stdout.
//
//     node adapter.mjs FOLDER      FOLDER is an installed set (see package.json beside this file)
//
// Owns the process: one request a line, answered in order; ends at the end of input. Decides nothing about the runtime.

import { createInterface } from 'node:readline';
import { loadPackages } from './packages.mjs';
import { description } from './profile.mjs';
import { System } from './system.mjs';
import { ADAPTER, WireError, check, fail, parse, respond } from './wire.mjs';

const answer = process.stdout.write.bind(process.stdout);
// standard output belongs to the protocol: whatever the runtime prints goes to standard error
process.stdout.write = process.stderr.write.bind(process.stderr);
for (const name of ['log', 'info', 'debug']) console[name] = console.error;

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node adapter.mjs FOLDER   (FOLDER: an installed set; `lifecycle systems install dsh` makes one)');
  process.exit(2);
}

let system;
process.on('unhandledRejection', (error) => system?.fault(error));
process.on('uncaughtException', (error) => system?.fault(error));

const packages = await loadPackages(folder).catch((error) => {
  console.error(`cannot load the runtime from ${folder}: ${error.message}`);
  console.error('next: lifecycle systems install dsh');
  process.exit(2);
});

const METHODS = {
  initialize: () => description(packages.version),
  async reset() {
    await system?.close();
    system = await System.boot(packages);
    return {};
  },
  async run({ bursts }) {
    if (system === undefined) await METHODS.reset();
    await system.ensureOwners(bursts);
    const results = [];
    for (const burst of bursts) results.push(await system.burst(burst));
    return { bursts: results };
  },
};

async function handle(line) {
  let id = null;
  try {
    const request = parse(line);
    id = request.id ?? null;
    check(request);
    const result = await METHODS[request.method](request.params ?? {});
    // a notification has no id and gets no answer
    if (request.id !== undefined) answer(respond(id, result));
  } catch (error) {
    if (error instanceof WireError) answer(fail(id, error.code, error.message));
    else answer(fail(id, ADAPTER, `the adapter failed: ${error?.stack ?? error}`));
  }
}

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
for await (const line of lines) if (line.trim() !== '') await handle(line);
process.exit(0);
