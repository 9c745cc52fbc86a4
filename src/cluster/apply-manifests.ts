import { LineCounter, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../api/object.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import { administrator } from './users.ts';

/** A manifest that cannot be read or names a kind that is not served; the message says where. */
export class ManifestError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ManifestError';
  }
}

/**
 * The objects in a YAML or JSON text; Lists are taken apart, empty documents passed over.
 *
 * @param source names the text in messages, e.g. a file name.
 * @throws ManifestError with source, line and column.
 */
export function readManifests(text: string, source = 'manifest'): KubeObject[] {
  const lineCounter = new LineCounter();
  const objects: KubeObject[] = [];
  for (const document of parseAllDocuments(text, { version: '1.1', lineCounter, prettyErrors: false, logLevel: 'silent' })) {
    if (!('errors' in document)) continue;
    const where = (offset: number): string => {
      const { line, col } = lineCounter.linePos(offset);
      return `${source}:${line}:${col}`;
    };
    const [error] = document.errors;
    if (error) throw new ManifestError(`${where(error.pos[0])}: ${error.message}`);
    const value: unknown = document.toJS();
    if (value === null || value === undefined) continue;
    for (const object of unpack(value)) objects.push(checkObject(object, where(document.range[0])));
  }
  return objects;
}

function unpack(value: unknown): unknown[] {
  if (
    typeof value === 'object' &&
    value !== null &&
    'items' in value &&
    Array.isArray(value.items) &&
    String((value as { kind?: unknown }).kind).endsWith('List')
  )
    return value.items;
  return [value];
}

function checkObject(object: unknown, where: string): KubeObject {
  const { apiVersion, kind, metadata } = (object ?? {}) as Partial<KubeObject>;
  if (typeof object !== 'object' || typeof apiVersion !== 'string' || typeof kind !== 'string')
    throw new ManifestError(`${where}: apiVersion and kind must be set`);
  if (!metadata?.name) throw new ManifestError(`${where}: metadata.name must be set`);
  return object as KubeObject;
}

const FIELD_MANAGER = 'coracle';

/** Server-side apply of every object, in the order given. @throws ManifestError, StatusError */
export async function applyManifests(apiServer: ApiServer, manifests: string | KubeObject | readonly KubeObject[], source?: string): Promise<KubeObject[]> {
  const objects =
    typeof manifests === 'string'
      ? readManifests(manifests, source)
      : Array.isArray(manifests)
        ? (manifests as readonly KubeObject[])
        : [manifests as KubeObject];
  const applied: KubeObject[] = [];
  for (const object of objects) {
    const served = apiServer.registry.ofKind(object.apiVersion, object.kind);
    if (!served) throw new ManifestError(`${source ?? 'manifest'}: no kind ${JSON.stringify(object.kind)} is served in ${JSON.stringify(object.apiVersion)}`);
    const response = await apiServer.request({
      verb: 'patch',
      group: served.facts.group,
      version: served.facts.version,
      resource: served.facts.resource,
      ...(served.namespaced ? { namespace: object.metadata.namespace ?? 'default' } : {}),
      name: object.metadata.name!,
      query: { fieldManager: FIELD_MANAGER, force: 'true' },
      body: object,
      contentType: 'application/apply-patch+yaml',
      user: administrator,
    });
    applied.push(response.object as KubeObject);
  }
  return applied;
}
