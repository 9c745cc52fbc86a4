import type { GoldenApi } from './api.mjs';
export interface RequestCase {
  id: string;
  title: string;
  requests: { sleep?: number }[];
  answers: unknown[];
}
export function playRequests(api: GoldenApi, recorded: RequestCase): Promise<RequestCase>;
