import type { GoldenApi } from './api.mjs';
export interface RequestCase {
  id: string;
  title: string;
  answers: unknown[];
}
export function playRequests(api: GoldenApi, recorded: RequestCase): Promise<RequestCase>;
