/** A timer that has not fired yet. */
export interface Timer {
  cancel(): void;
}

/**
 * The one source of time. Everything that waits or asks for the time is handed a Clock, so that a whole cluster can run
 * on virtual time.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `fire` once, `afterMs` milliseconds from now (0 or less: as soon as possible). */
  schedule(afterMs: number, fire: () => void): Timer;
}

/** RFC 3339 with seconds, as metav1.Time is written: `2026-01-02T03:04:05Z`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19) + 'Z';
}

/** RFC 3339 with microseconds, as metav1.MicroTime is written: `2026-01-02T03:04:05.000000Z`. */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 23) + '000Z';
}

/** Milliseconds since the epoch of an RFC 3339 time; undefined stays undefined. */
export function parseTime(time: string): number;
export function parseTime(time: string | null | undefined): number | undefined;
export function parseTime(time: string | null | undefined): number | undefined {
  return time === undefined || time === null ? undefined : Date.parse(time);
}

/** Resolves after `ms` milliseconds of the clock's time, or at once when `signal` aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.schedule(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** The machine's clock. Its timers do not keep the process alive. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  schedule(afterMs: number, fire: () => void): Timer {
    // Node fires timers beyond 2^31-1 ms at once; nothing here waits for 24 days in one piece.
    const timer = setTimeout(fire, Math.min(Math.max(afterMs, 0), 2_147_483_647));
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  }
}
