import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { BUGS } from '../sim/bugs.ts';
import { shrink } from '../sim/shrink.ts';
import { type SimulationOptions, type SimulationResult, simulate } from '../sim/simulation.ts';
import type { WorkerAnswer, WorkerTask } from '../sim/worker.ts';
import { CliError } from './errors.ts';

export interface SimOptions {
  /** How many seeds to play. */
  seeds: number;
  /** The only one to play, and to show. */
  seed?: number;
  /** The first of the seeds. */
  from: number;
  bug?: string;
  /** Keep the store in a journal that is slow, fails and is cut off. */
  journal?: boolean;
  /** Threads that play side by side. Default: as many as the machine has processors. */
  jobs?: number;
  /** Look for the smallest scenario that fails. */
  shrink?: boolean;
  /** Print the whole log of a single seed. */
  log?: boolean;
}

/** Compiled or not, as this file is. */
const WORKER = import.meta.url.endsWith('.ts') ? '../sim/worker.ts' : '../sim/worker.js';
const LINES_SHOWN = 60;
const MAX_FAILURES = 5;

/** Plays seeds in the simulator. @returns 0 if none breaks a rule. */
export async function sim(options: SimOptions): Promise<number> {
  if (options.bug !== undefined && !BUGS[options.bug]) {
    const known = Object.entries(BUGS).map(([name, { about }]) => `  ${name.padEnd(20)}${about}`);
    throw new CliError(`there is no bug "${options.bug}" to plant; there are\n${known.join('\n')}`);
  }
  const simulation: SimulationOptions = { journal: options.journal ?? false, ...(options.bug === undefined ? {} : { bug: options.bug }) };
  return options.seed === undefined ? playMany(options, simulation) : playOne(options.seed, options, simulation);
}

async function playOne(seed: number, options: SimOptions, simulation: SimulationOptions): Promise<number> {
  let result = await simulate(seed, simulation);
  if (result.violation && options.shrink) result = await shrink(result, simulation);
  if (options.log) print(result.log.join('\n'));
  if (result.violation) report(result, options);
  else print(`seed ${seed}: no rule is broken in ${minutes(result.virtualMs)} minutes`);
  return result.violation ? 1 : 0;
}

async function playMany(options: SimOptions, simulation: SimulationOptions): Promise<number> {
  const began = performance.now();
  let virtualMs = 0;
  let failures = 0;
  let played = 0;
  let next = options.from;
  const threads = Math.min(options.jobs ?? availableParallelism(), options.seeds);
  const playOn = async (): Promise<void> => {
    const worker = new Worker(new URL(WORKER, import.meta.url));
    try {
      while (next < options.from + options.seeds && failures < MAX_FAILURES) {
        const result = await ask(worker, { seed: next++, options: simulation });
        played++;
        virtualMs += result.virtualMs;
        if (!result.violation) continue;
        failures++;
        report(options.shrink ? await shrink(result, simulation) : result, options);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, playOn));
  const seconds = (performance.now() - began) / 1000;
  const rates = `${(played / seconds).toFixed(1)} seeds and ${(virtualMs / 3_600_000 / seconds).toFixed(2)} cluster-hours a second on ${threads} threads`;
  print(`${played} seeds in ${seconds.toFixed(1)} s: ${failures === 0 ? 'no rule is broken' : `${failures} break a rule`}; ${rates}`);
  return failures === 0 ? 0 : 1;
}

function ask(worker: Worker, task: WorkerTask): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (answer: WorkerAnswer) => {
      worker.off('error', reject);
      resolve(answer);
    });
    worker.postMessage(task);
  });
}

function report({ scenario, violation, log }: SimulationResult, options: SimOptions): void {
  const { seed, faults, steps } = scenario;
  print(`seed ${seed} breaks a rule after ${(violation!.atMs / 1000).toFixed(3)} s: ${violation!.rule}`);
  print(`  ${violation!.message}`);
  print(`  ${steps.length} steps, ${faults.length} faults${options.shrink ? ' that it takes' : ''}; the last of what happened:`);
  for (const line of log.slice(-LINES_SHOWN)) print(`  ${line.slice(0, 220)}`);
  print(
    `replay: npm run sim -- --seed ${seed}${options.bug === undefined ? '' : ` --bug ${options.bug}`}${options.journal ? ' --journal' : ''}${options.shrink ? ' --shrink' : ''}`,
  );
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
