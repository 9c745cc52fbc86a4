import type { HttpAnswer } from './process.ts';
import type { SimulatedSandbox } from './simulated-sandbox.ts';

/** Which simulated pod has which address; shared by the runtimes of nodes whose pods reach each other. */
export class PodDirectory {
  readonly #sandboxes = new Map<string, SimulatedSandbox>();

  add(ip: string, sandbox: SimulatedSandbox): void {
    this.#sandboxes.set(ip, sandbox);
  }

  remove(ip: string): void {
    this.#sandboxes.delete(ip);
  }

  /** What answers HTTP at a pod's port; undefined where nothing does, or nothing that is simulated is there. */
  server(ip: string, port: number): HttpAnswer | undefined {
    for (const container of this.#sandboxes.get(ip)?.containers ?? []) {
      const answer = container.server(port);
      if (answer) return answer;
    }
    return undefined;
  }

  /** Whether the pod at an address runs a program that serves: then nothing answers at its other ports. */
  serves(ip: string): boolean {
    return [...(this.#sandboxes.get(ip)?.containers ?? [])].some((container) => container.running && container.serves);
  }
}
