import { type FieldError, forbidden as forbiddenField, invalid as invalidField } from '../../api/field-error.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { ApiRequest, Query } from '../../api/request.ts';
import { Pods } from '../../api/resources.ts';
import { badRequest, invalid, notFound, StatusError } from '../../api/status.ts';
import { type Clock, parseTime } from '../../lib/clock.ts';
import { isFlagSet, readQuery } from '../decode/query.ts';
import type { NodeConnection, NodeConnections, PodLogLine } from '../node-connection.ts';
import type { Registry } from '../registry.ts';
import type { Handlers } from '../served-resource.ts';
import type { Storage } from '../storage/storage.ts';

export interface PodConnection {
  node: NodeConnection;
  namespace: string;
  pod: string;
  container: string;
}

/** Finds the way from a request to the container that it is for. */
export class PodConnector {
  readonly #storage: Storage;
  readonly #registry: Registry;
  readonly #nodes: NodeConnections;

  constructor({ storage, registry, nodes }: { storage: Storage; registry: Registry; nodes: NodeConnections }) {
    this.#storage = storage;
    this.#registry = registry;
    this.#nodes = nodes;
  }

  /** @throws StatusError when there is no such pod or container, several to choose from, or no node that runs it. */
  async connect(
    { namespace = '', name = '' }: Pick<ApiRequest, 'namespace' | 'name'>,
    container: string | undefined,
    { containerNeeded }: { containerNeeded: boolean },
  ): Promise<PodConnection> {
    const pods = this.#registry.get(Pods);
    const found = await this.#storage.get(pods, { namespace, name });
    if (!found) throw notFound(pods.facts, name);
    const pod = found.object as Pod;
    const chosen = containerNeeded ? chooseContainer(pod, container) : '';
    if (!pod.spec.nodeName) throw new NoHostError(name);
    const node = this.#nodes(pod.spec.nodeName);
    if (!node)
      throw new StatusError(500, 'InternalError', `Internal error occurred: the kubelet of node ${JSON.stringify(pod.spec.nodeName)} cannot be reached`);
    return { node, namespace, pod: name, container: chosen };
  }
}

/** exec, attach and portforward leave http behind; whoever does not offer that is told how far he would get (apimachinery/pkg/util/proxy). */
export function streamHandlers(connector: PodConnector, { containerNeeded }: { containerNeeded: boolean }): Handlers {
  return {
    async connect(_resource, request) {
      await connector.connect(request, request.query['container'], { containerNeeded });
      throw badRequest('Upgrade request required');
    },
  };
}

/** A pod that no node has taken yet. */
export class NoHostError extends StatusError {
  constructor(pod: string) {
    super(400, 'BadRequest', `pod ${pod} does not have a host assigned`);
  }
}

function chooseContainer({ metadata, spec }: Pod, wanted: string | undefined): string {
  const names = spec.containers.map((c) => c.name);
  const all = [...(spec.initContainers ?? []).map((c) => c.name), ...names, ...(spec.ephemeralContainers ?? []).map((c) => c.name)];
  if (wanted) {
    if (!all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${metadata.name}`);
    return wanted;
  }
  if (names.length === 1) return names[0]!;
  const init = spec.initContainers?.length ? ` or one of the init containers: [${spec.initContainers.map((c) => c.name).join(' ')}]` : '';
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]${init}`);
}

/** The log of a container, as text (pkg/registry/core/pod/rest/log.go). */
export function logHandlers(connector: PodConnector, clock: Clock): Handlers {
  return {
    async get(_resource, request) {
      const { query, name = '' } = request;
      const connection = await connectionOf(connector, request);
      if (!connection) return { code: 204 };
      const { node, namespace, pod, container } = connection;
      const { tailLines, limitBytes, sinceSeconds, since } = logOptions(name, query);
      const lines = await node.getLogs(namespace, pod, container, {
        previous: isFlagSet(query['previous']),
        follow: isFlagSet(query['follow']),
        ...(tailLines === undefined ? {} : { tailLines }),
        ...(sinceSeconds === undefined ? {} : { since: clock.now() - sinceSeconds * 1000 }),
        ...(since === undefined ? {} : { since }),
        ...(request.signal ? { signal: request.signal } : {}),
      });
      const limit = limitBytes ?? Number.POSITIVE_INFINITY;
      return { code: 200, stream: { contentType: 'text/plain', chunks: asText(lines, { timestamps: isFlagSet(query['timestamps']), limit }) } };
    },
  };
}

/** A pod that no node has taken has no log yet. */
async function connectionOf(connector: PodConnector, request: ApiRequest): Promise<PodConnection | undefined> {
  try {
    return await connector.connect(request, request.query['container'], { containerNeeded: true });
  } catch (error) {
    if (error instanceof NoHostError) return undefined;
    throw error;
  }
}

interface LogRange {
  tailLines: number | undefined;
  limitBytes: number | undefined;
  sinceSeconds: number | undefined;
  /** Milliseconds since the epoch. */
  since: number | undefined;
}

const LOG_NUMBERS = { tailLines: 'whole', limitBytes: 'whole', sinceSeconds: 'whole' } as const;

/** Upstream: pkg/apis/core/validation.ValidatePodLogOptions. */
function logOptions(name: string, query: Query): LogRange {
  const { tailLines, limitBytes, sinceSeconds } = readQuery(query, LOG_NUMBERS);
  const since = query['sinceTime'] === undefined ? undefined : parseTime(query['sinceTime']);
  if (Number.isNaN(since)) {
    const text = JSON.stringify(query['sinceTime']);
    throw badRequest(`parsing time ${text} as "2006-01-02T15:04:05Z07:00": cannot parse ${text} as "2006"`);
  }
  const atLeast = (least: 0 | 1, field: string, value: number | undefined): FieldError[] =>
    value === undefined || value >= least ? [] : [invalidField(field, value, least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0')];
  const errors = [
    ...atLeast(0, 'tailLines', tailLines),
    ...atLeast(1, 'limitBytes', limitBytes),
    ...(sinceSeconds !== undefined && since !== undefined
      ? [forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : atLeast(1, 'sinceSeconds', sinceSeconds)),
  ];
  if (errors.length) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
  return { tailLines, limitBytes, sinceSeconds, since };
}

async function* asText(lines: AsyncIterable<PodLogLine>, { timestamps, limit }: { timestamps: boolean; limit: number }): AsyncGenerator<string> {
  let left = limit;
  for await (const { at, time = new Date(at).toISOString().replace('Z', '000000Z'), text } of lines) {
    const line = timestamps ? `${time} ${text}` : text;
    yield line.length > left ? line.slice(0, left) : line;
    left -= line.length;
    if (left <= 0) return;
  }
}
