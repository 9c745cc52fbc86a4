import { describe, expect, it } from 'vitest';
import { messages } from '../../api/generated/protobuf.ts';
import type { KubeObject } from '../../api/object.ts';
import { Rng } from '../../lib/rng.ts';
import { VirtualClock } from '../../lib/virtual-clock.ts';
import { MemoryStore } from '../../store/memory/memory-store.ts';
import { ApiServer } from '../api-server.ts';
import { ProtobufDecoder } from './decoder.ts';
import { ProtobufEncoder } from './encoder.ts';

const { registry } = new ApiServer({ store: new MemoryStore(), clock: new VirtualClock(), rng: new Rng(1), admission: () => [] });
const encoder = new ProtobufEncoder(registry.types, messages);
const decoder = new ProtobufDecoder(registry, messages);

const metadata = {
  name: 'x',
  namespace: 'n',
  generation: 3546343826724305832n,
  creationTimestamp: '2026-01-02T03:04:05Z',
  labels: { a: '', b: 'c' },
  managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {} } } }],
};

const OBJECTS: Record<string, object> = {
  Pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
      containers: [
        {
          name: 'c',
          image: 'i',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          resources: { limits: { cpu: '500m' } },
          livenessProbe: { httpGet: { path: '/', port: 'web', scheme: 'HTTP' }, periodSeconds: 10 },
          readinessProbe: { tcpSocket: { port: 80 } },
          stdin: false,
        },
      ],
      ephemeralContainers: [{ name: 'e', image: 'i', targetContainerName: 'c' }],
      securityContext: { runAsUser: 0, runAsNonRoot: false },
      nodeSelector: { a: 'b' },
    },
    status: { podIPs: [{ ip: '10.0.0.1' }], startTime: '2026-01-02T03:04:05Z' },
  },
  Secret: { apiVersion: 'v1', kind: 'Secret', metadata, data: { k: 'YWJj', empty: '' }, immutable: false },
  Lease: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { renewTime: '2026-01-02T03:04:05.000006Z', leaseDurationSeconds: 4 } },
  ControllerRevision: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data: { n: 9223372036854775807n, list: [1, 'a'] }, revision: 3 },
  CertificateSigningRequest: {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata,
    spec: { request: 'UEVN', signerName: 'example.com/x', extra: { scopes: ['a', 'b'] } },
    status: {},
  },
  CustomResourceDefinition: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata,
    spec: {
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              default: { a: 1 },
              items: { type: 'string' },
              additionalProperties: false,
              properties: { p: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-int-or-string': true } },
            },
          },
        },
      ],
    },
  },
};

describe('protobuf answers', () => {
  it.each(Object.keys(OBJECTS))('%s reads as it was written', (kind) => {
    const object = OBJECTS[kind] as KubeObject;
    const { id } = registry.typeOf(object.apiVersion, kind)!;
    expect(decoder.decode(encoder.encode(object, id))).toEqual(object);
  });

  it('frames an event by its length', () => {
    const object = OBJECTS['Secret'] as KubeObject;
    const frame = Buffer.from(encoder.encodeEvent('ADDED', object, registry.typeOf('v1', 'Secret')!.id));
    expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
    expect(decoder.decode(frame.subarray(frame.indexOf('k8s\0')))).toEqual(object);
  });

  it('reads delete options of every group, as client-go sends them', () => {
    const type = registry.typeOf('apps/v1', 'DeleteOptions')!;
    const options = { apiVersion: 'apps/v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, propagationPolicy: 'Background', preconditions: { uid: 'u' } };
    expect(decoder.decode(encoder.encode(options as unknown as KubeObject, type.id))).toEqual(options);
  });
});
