import { parentPort } from 'node:worker_threads';
import { type SimulationOptions, type SimulationResult, simulate } from './simulation.ts';

/** What a worker is asked to play. */
export interface WorkerTask {
  seed: number;
  options: SimulationOptions;
}

/** Its answer: the log only where a rule is broken. */
export type WorkerAnswer = SimulationResult;

// One of several threads that play seeds side by side; each seed is a world of its own.
parentPort?.on('message', ({ seed, options }: WorkerTask) => {
  void simulate(seed, options).then((result) => {
    const answer: WorkerAnswer = result.violation ? result : { ...result, log: [] };
    parentPort?.postMessage(answer);
  });
});
