import { type Clock, sleep } from '../../lib/clock.ts';
import type { PodNetwork, ProbeOutcome } from '../runtime.ts';
import type { PodDirectory } from './pod-directory.ts';
import type { HttpAnswer } from './process.ts';
import type { SimulatedContainer } from './simulated-container.ts';

type Action = Parameters<PodNetwork['probe']>[0];
type Target = Parameters<PodNetwork['probe']>[1];

/** Answers probes and hooks in the containers' place, as their behaviour has it. */
export class SimulatedNetwork implements PodNetwork {
  readonly #clock: Clock;
  readonly #find: (containerId: string) => SimulatedContainer | undefined;
  readonly #pods: PodDirectory;

  constructor({ clock, find, pods }: { clock: Clock; find: (containerId: string) => SimulatedContainer | undefined; pods: PodDirectory }) {
    this.#clock = clock;
    this.#find = find;
    this.#pods = pods;
  }

  async probe(action: Action, { containerId, kind, timeoutMs }: Target): Promise<ProbeOutcome> {
    const container = this.#find(containerId);
    if (!container?.running) return { ok: false, output: 'container is not running' };
    const command = action.type === 'exec' ? action.command : undefined;
    if ((kind === 'postStart' || kind === 'preStop') && action.type === 'httpGet') return this.#call(action);
    if (kind === 'postStart' || kind === 'preStop') return this.#hook(container, command, timeoutMs);
    if (container.serves && !container.isScripted(kind) && action.type !== 'exec') return ask(container.server(action.port), action);
    const { exitCode, stdout, stderr } = container.probe(kind, command);
    if (exitCode === 0) return { ok: true, output: stdout };
    return { ok: false, output: failureOf(action, stdout + stderr) };
  }

  /** Goes to the pod that has the address; elsewhere nobody is known to refuse. */
  #call(action: Extract<Action, { type: 'httpGet' }>): ProbeOutcome {
    return this.#pods.serves(action.host) ? ask(this.#pods.server(action.host, action.port), action) : { ok: true, output: '' };
  }

  async #hook(container: SimulatedContainer, command: readonly string[] | undefined, timeoutMs: number): Promise<ProbeOutcome> {
    const outcome = command ? container.execute(command) : undefined;
    if (!outcome?.known) return { ok: true, output: '' };
    await Promise.race([sleep(this.#clock, Math.min(outcome.durationMs, timeoutMs)), container.whenExited()]);
    return { ok: outcome.exitCode === 0 && outcome.durationMs <= timeoutMs, output: outcome.stdout + outcome.stderr };
  }
}

/** As the program does that serves at the port; one that is not served refuses. */
function ask(answer: HttpAnswer | undefined, action: Exclude<Action, { type: 'exec' }>): ProbeOutcome {
  if (!answer || action.type === 'grpc') {
    const refused = `dial tcp ${action.host}:${action.port}: connect: connection refused`;
    return {
      ok: false,
      output: action.type === 'httpGet' ? `Get "${action.scheme.toLowerCase()}://${action.host}:${action.port}${action.path}": ${refused}` : refused,
    };
  }
  if (action.type === 'tcpSocket') return { ok: true, output: '' };
  const { status = 200, body } = answer(new URL(action.path, 'http://pod'));
  return status >= 200 && status < 400 ? { ok: true, output: body } : { ok: false, output: `HTTP probe failed with statuscode: ${status}` };
}

function failureOf(action: Action, output: string): string {
  switch (action.type) {
    case 'httpGet':
      return 'HTTP probe failed with statuscode: 503';
    case 'tcpSocket':
      return `dial tcp ${action.host}:${action.port}: connect: connection refused`;
    case 'grpc':
      return 'service unhealthy (responded with "NOT_SERVING")';
    default:
      return output;
  }
}
