import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 100;

/** Waits until something holds; what is thrown meanwhile counts as "not yet". */
export async function eventually(holds: () => Promise<boolean>, what: string, timeoutMs = 30_000): Promise<void> {
  const until = Date.now() + timeoutMs;
  let fault: unknown;
  while (Date.now() < until) {
    try {
      if (await holds()) return;
      fault = undefined;
    } catch (error) {
      fault = error;
    }
    await pause(LOOK_MS);
  }
  throw new Error(`waited ${timeoutMs / 1000} s in vain: ${what}`, { cause: fault });
}

/** Ends a process that this one has started: asks it to, and kills it where it does not go. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(kill);
}
