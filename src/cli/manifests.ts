import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../api/object.ts';
import { readManifests } from '../cluster/apply-manifests.ts';
import { CliError } from './errors.ts';

export interface ManifestFile {
  source: string;
  objects: KubeObject[];
}

const MANIFEST = /\.(ya?ml|json)$/;

/** Reads what `-f` names: files, the manifests in a folder by name, or `-`. @throws CliError, ManifestError */
export function readManifestFiles(names: readonly string[]): ManifestFile[] {
  return names
    .flatMap(expand)
    .map((file) => ({ source: file === '-' ? 'standard input' : file, objects: readManifests(readText(file), file === '-' ? 'standard input' : file) }));
}

function expand(name: string): string[] {
  if (name === '-') return [name];
  const stat = attempt(name, () => statSync(name));
  if (!stat.isDirectory()) return [name];
  const files = attempt(name, () => readdirSync(name))
    .filter((file) => MANIFEST.test(file))
    .sort();
  if (files.length === 0) throw new CliError(`${name}: no manifest (.yaml, .yml, .json) in this folder`);
  return files.map((file) => join(name, file));
}

export function readText(name: string): string {
  return attempt(name === '-' ? 'standard input' : name, () => readFileSync(name === '-' ? 0 : name, 'utf8'));
}

function attempt<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file or folder' : code === 'EACCES' ? 'permission denied' : code === 'EISDIR' ? 'is a folder' : message;
    throw new CliError(`cannot read ${name}: ${why}`);
  }
}
