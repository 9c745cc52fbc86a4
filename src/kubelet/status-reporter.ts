import type { Pod, PodStatus } from '../api/generated/types/core.v1.ts';
import { type Timer, timestamp } from '../lib/clock.ts';
import type { NodeServices } from './node-services.ts';
import type { StatusReport } from './plan/action.ts';
import type { Cause } from './plan/pod-life.ts';
import type { ProbeFindings } from './plan/state.ts';
import { podStatus } from './pod-status.ts';
import { writeStatus } from './status-writer.ts';

/** The pod that is reported on, as it is when the report is written. */
export interface ReportSubject {
  pod(): Pod;
  findings(): ReadonlyMap<string, ProbeFindings>;
  waiting(): ReadonlyMap<string, Cause>;
  /** The API server has answered with this version. */
  written(pod: Pod): void;
  seenAt: number;
}

/** Tells the API server how one pod is, one write after the other. */
export class StatusReporter {
  readonly #services: NodeServices;
  readonly #subject: ReportSubject;
  #pending: Timer | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(services: NodeServices, subject: ReportSubject) {
    this.#services = services;
    this.#subject = subject;
  }

  /**
   * Writes the report, or in `afterMs` milliseconds where that is more than 0: then it does not wait for the write, and
   * gives way to a report that comes before.
   * @throws what the API server's refusal of a report that is written at once came to
   */
  async report(report: StatusReport, { afterMs }: { afterMs: number }): Promise<void> {
    this.cancel();
    if (afterMs === 0) return this.#write(report);
    this.#pending = this.#services.clock.schedule(afterMs, () => {
      this.#write(report).catch((error: unknown) => this.#services.log.info('status not written', { pod: this.#subject.pod().metadata.name, error }));
    });
  }

  /** Drops what has not been written yet. */
  cancel(): void {
    this.#pending?.cancel();
  }

  #write(report: StatusReport): Promise<void> {
    const written = this.#writing.then(async () => {
      const pod = await writeStatus(this.#services.pods, this.#subject.pod(), this.#statusOf(report));
      if (pod) this.#subject.written(pod);
    });
    // Who asked for the write hears of its failure; the next one is made all the same.
    this.#writing = written.catch(() => undefined);
    return written;
  }

  #statusOf(report: StatusReport): PodStatus {
    const { runtimeName, hostIP, clock } = this.#services;
    const { seenAt } = this.#subject;
    const pod = this.#subject.pod();
    if (report.of === 'refusal') {
      const { reason, message } = report.cause;
      return { ...pod.status, phase: 'Failed', reason, message: `Pod was rejected: ${message}`, startTime: timestamp(seenAt) };
    }
    const [probes, waiting] = [this.#subject.findings(), this.#subject.waiting()];
    return podStatus({ ...report, pod, probes, waiting, runtimeName, hostIP, startedAt: seenAt, now: clock.now() });
  }
}
