import type { ApiServer } from '../apiserver/api-server.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';

export interface ControlPlaneOptions {
  apiServer: ApiServer;
  clock: Clock;
  rng: Rng;
  log: Log;
  nodes: number;
  simulate?: unknown[];
}

export class ControlPlane {
  readonly podConnector = undefined;
  constructor(_options: ControlPlaneOptions) {}
  async start(_ca: string): Promise<void> {}
  async stop(): Promise<void> {}
}
