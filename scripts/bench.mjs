#!/usr/bin/env node
// All benchmarks, or those named: `npm run bench -- controllers`.
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const known = readdirSync(folder).flatMap((file) => /^bench-(.+)\.mjs$/.exec(file)?.[1] ?? []);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`error: no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : known) await import(`./bench-${name}.mjs`);
