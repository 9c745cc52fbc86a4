import type { Hook } from './requests.mjs';

interface KeyPair {
  key: string;
  cert: string;
}
export function startHook(own: KeyPair, other: KeyPair): Promise<Hook>;
