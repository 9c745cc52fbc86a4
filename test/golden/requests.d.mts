import type { GoldenApi } from './api.mjs';
export interface RequestCase {
  id: string;
  title: string;
  requests: { sleep?: number }[];
  answers: unknown[];
}
export function playRequests(api: GoldenApi, recorded: RequestCase): Promise<RequestCase>;
/** What the site that recordings are played on calls by which name. */
export function setSite(site: Record<string, string>): void;
export interface Hook {
  host: string;
  ca: string;
  other: string;
  close(): void;
}
/** The webhook server that recordings speak of. */
export function setHook(hook: Hook): void;
/** The name of the user who plays. */
export function setMe(name: string): void;
