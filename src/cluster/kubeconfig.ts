import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import type { Certificates } from './certificates.ts';

/** A kubeconfig that makes its reader the administrator of a cluster. */
export function kubeconfigText({ ca, admin }: Certificates, server: string): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'coracle', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'coracle-admin', user: { 'client-certificate-data': base64(admin.cert), 'client-key-data': base64(admin.key) } }],
    contexts: [{ name: 'coracle', context: { cluster: 'coracle', user: 'coracle-admin' } }],
    'current-context': 'coracle',
  });
}

/** Writes the file so that it appears complete and readable by its owner alone. */
export function writeKubeconfig(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
