import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Registry as ResourceRegistry } from './registry.ts';
import type { Storage } from './storage/storage.ts';

/** Upstream's buckets of request latency, in seconds (apiserver/pkg/endpoints/metrics). */
const LATENCY_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

/** What a request was, for the labels of its metrics. */
export interface RequestLabels {
  verb: string;
  group: string;
  version: string;
  resource: string;
  subresource: string;
  scope: '' | 'cluster' | 'namespace' | 'resource';
}

/** The API server's metrics, by upstream's names, for Prometheus to scrape at /metrics. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests answered, by what they were and the code of the answer.',
    labelNames: ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'code'],
    registers: [this.#registry],
  });
  readonly #latency = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Seconds from a request to the end of its answer.',
    labelNames: ['verb', 'dry_run', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    buckets: LATENCY_BUCKETS,
    registers: [this.#registry],
  });
  readonly #inflight = new Gauge({
    name: 'apiserver_current_inflight_requests',
    help: 'Requests being served now, by kind.',
    labelNames: ['request_kind'],
    registers: [this.#registry],
  });
  readonly #longRunning = new Gauge({
    name: 'apiserver_longrunning_requests',
    help: 'Watches and connections into pods that are open now.',
    labelNames: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    registers: [this.#registry],
  });
  readonly #watchEvents = new Counter({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to watching clients.',
    labelNames: ['group', 'version', 'resource'],
    registers: [this.#registry],
  });

  constructor({ storage, registry }: { storage: Storage; registry: ResourceRegistry }) {
    new Gauge({
      name: 'etcd_mvcc_db_revision',
      help: 'The revision of the last write of the store.',
      registers: [this.#registry],
      collect() {
        this.set(storage.revision);
      },
    });
    new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
      registers: [this.#registry],
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
    new Gauge({
      name: 'apiserver_storage_objects',
      help: 'Objects in the store, by resource.',
      labelNames: ['resource'],
      registers: [this.#registry],
      async collect() {
        this.reset();
        for (const resource of registry.all()) {
          if (!resource.behaviour.storedAs) this.set({ resource: resource.facts.resource }, await storage.count(resource));
        }
      },
    });
  }

  /** Counts a request from now on; the function returned is called with its end. */
  begin(labels: RequestLabels, { dryRun }: { dryRun: boolean }): (code: number) => void {
    const { verb, group, version, resource, subresource, scope } = labels;
    const common = { verb: verb.toUpperCase(), group, version, resource, subresource, scope, component: 'apiserver' };
    const dry_run = dryRun ? 'All' : '';
    const began = performance.now();
    const isLong = verb === 'watch' || verb === 'connect';
    const request_kind = ['get', 'list', 'watch'].includes(verb) ? 'readOnly' : 'mutating';
    if (isLong) this.#longRunning.inc(common);
    else this.#inflight.inc({ request_kind });
    return (code) => {
      if (isLong) this.#longRunning.dec(common);
      else this.#inflight.dec({ request_kind });
      this.#requests.inc({ ...common, dry_run, code: String(code) });
      this.#latency.observe({ ...common, dry_run }, (performance.now() - began) / 1000);
    };
  }

  countWatchEvent({ group, version, resource }: Pick<RequestLabels, 'group' | 'version' | 'resource'>): void {
    this.#watchEvents.inc({ group, version, resource });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
