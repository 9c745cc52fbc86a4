import { FileError, type MemoryFiles } from './memory-files.ts';

/** What a simulated program has to do with. */
export interface Process {
  /** The program's name and its arguments. */
  argv: readonly string[];
  env: ReadonlyMap<string, string>;
  /** The directory that relative paths begin at. */
  directory: string;
  files: MemoryFiles;
  hostname: string;
  /** All of the input, where there is any. */
  stdin: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Answers HTTP at a port from now on. Only what a container was started with can do that. */
  listen?(port: number, answer: HttpAnswer): void;
}

export type HttpAnswer = (url: URL) => { status?: number; body: string };

/**
 * One of the programs that simulated containers know. It yields how many milliseconds it waits, Infinity where nothing but a
 * signal ends it, and returns its exit code. Whoever runs it decides what passes meanwhile: a clock, or nothing.
 */
export type Program = (process: Process) => Generator<number, number>;

/** For what could wait, and does not. */
export const NO_WAIT: readonly number[] = [];

/** A program that takes no time. */
export function instantly(act: (process: Process) => number): Program {
  return function* (process) {
    yield* NO_WAIT;
    return act(process);
  };
}

/** The programs that a process can start. */
export interface Programs {
  /** By the name or path that it is started with; undefined: it is not one of the simulated ones. */
  find(path: string): Program | undefined;
  /** What is played in the place of a program, or a script, that cannot be. */
  otherwise: Program;
}

/** Plays a program to its end: an error of the files that it does not deal with itself ends it. */
export function* play(program: Program, process: Process): Generator<number, number> {
  try {
    return yield* program(process);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    process.stderr(`${process.argv[0]}: ${error.message}\n`);
    return 1;
  }
}

/** What a command did, how long it took, how it ended. */
export interface CommandOutcome {
  stdout: string;
  stderr: string;
  exitCode: number;
  /** Infinity: it never ends by itself. */
  durationMs: number;
}

/** Nobody waits longer for a command than this. */
const PATIENCE_MS = 3_600_000;

/** Runs a program in no time at all, adding up how long it would have waited. What the clock changes meanwhile it does not see. */
export function runAtOnce(program: Program, process: Omit<Process, 'stdout' | 'stderr'>): CommandOutcome {
  const outcome: CommandOutcome = { stdout: '', stderr: '', exitCode: 0, durationMs: 0 };
  const steps = play(program, {
    ...process,
    stdout: (text) => (outcome.stdout += text),
    stderr: (text) => (outcome.stderr += text),
    now: () => process.now() + outcome.durationMs,
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return { ...outcome, exitCode: step.value };
    outcome.durationMs += step.value;
    if (outcome.durationMs > PATIENCE_MS) return { ...outcome, durationMs: Number.POSITIVE_INFINITY };
  }
}
