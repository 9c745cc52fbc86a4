#!/usr/bin/env node
// How long from the start of the process to /readyz, and how much memory an idle cluster of three nodes takes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RUNS = 5;
const IDLE_MS = 10_000;
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'coracle-bench-'));
const port = 20_000 + (process.pid % 20_000);

const isReady = () =>
  new Promise((resolve) => {
    const request = https.get({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
const residentMb = (pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) / 1024;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function run(idleMs) {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [main, 'up', '--ephemeral', '--quiet', '--nodes', '3', '--port', String(port), '--kubeconfig', join(directory, 'kubeconfig')],
    { stdio: 'ignore' },
  );
  while (!(await isReady())) await sleep(2);
  const ms = performance.now() - began;
  await sleep(idleMs);
  const mb = residentMb(child.pid);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.on('close', resolve));
  return { ms, mb };
}

const times = [];
for (let i = 0; i < RUNS; i++) times.push((await run(0)).ms);
const { mb } = await run(IDLE_MS);
times.sort((a, b) => a - b);
console.log(`process start to /readyz: median ${Math.round(times[RUNS >> 1])} ms of ${RUNS} runs (${Math.round(times[0])} to ${Math.round(times.at(-1))})`);
console.log(`resident after ${IDLE_MS / 1000} s idle, 3 nodes: ${Math.round(mb)} MB`);
rmSync(directory, { recursive: true, force: true });
