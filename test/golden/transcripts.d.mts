import type { GoldenApi } from './api.mjs';
export interface Transcript {
  id: string;
  title: string;
  commands: unknown[];
}
export function playTranscript(api: GoldenApi, recorded: Transcript, kubectl: string, kubeconfigFile: string): Promise<Transcript>;
