import type { GoldenApi } from './api.mjs';
export interface RequestCase {
  id: string;
  title: string;
  requests: { sleep?: number }[];
  answers: unknown[];
}
export function playRequests(api: GoldenApi, recorded: RequestCase): Promise<RequestCase>;
/** What the site that recordings are played on calls by which name. */
export function setSite(site: { real?: string; registry?: string; private?: string }): void;
