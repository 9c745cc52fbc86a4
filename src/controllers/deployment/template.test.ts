import { expect, test } from 'vitest';
import { deployment } from '../../api/apps/v1/deployment.ts';
import { goDump } from '../../api/core/v1/go-dump.ts';
import type { Deployment } from '../../api/generated/types/apps.v1.ts';
import type { PodTemplateSpec } from '../../api/generated/types/core.v1.ts';
import { replicaSetName, templateHash } from './template.ts';

/** The Deployment of CoreDNS as kubeadm v1.34 makes it (cmd/kubeadm/app/phases/addons/dns/manifests.go). */
function coreDns(): Deployment {
  const port = (containerPort: number, name: string, protocol: string) => ({ containerPort, name, protocol });
  const result = {
    metadata: { name: 'coredns' },
    spec: {
      selector: { matchLabels: { 'k8s-app': 'kube-dns' } },
      template: {
        metadata: { labels: { 'k8s-app': 'kube-dns' } },
        spec: {
          priorityClassName: 'system-cluster-critical',
          serviceAccountName: 'coredns',
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: {
                    labelSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns'] }] },
                    topologyKey: 'kubernetes.io/hostname',
                  },
                },
              ],
            },
          },
          tolerations: [
            { key: 'CriticalAddonsOnly', operator: 'Exists' },
            { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
          ],
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          containers: [
            {
              name: 'coredns',
              image: 'registry.k8s.io/coredns/coredns:v1.12.1',
              imagePullPolicy: 'IfNotPresent',
              resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
              args: ['-conf', '/etc/coredns/Corefile'],
              volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
              ports: [
                port(53, 'dns', 'UDP'),
                port(53, 'dns-tcp', 'TCP'),
                port(9153, 'metrics', 'TCP'),
                port(8080, 'liveness-probe', 'TCP'),
                port(8181, 'readiness-probe', 'TCP'),
              ],
              livenessProbe: {
                httpGet: { path: '/health', port: 'liveness-probe', scheme: 'HTTP' },
                initialDelaySeconds: 60,
                timeoutSeconds: 5,
                successThreshold: 1,
                failureThreshold: 5,
              },
              readinessProbe: { httpGet: { path: '/ready', port: 'readiness-probe', scheme: 'HTTP' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
                readOnlyRootFilesystem: true,
              },
            },
          ],
          dnsPolicy: 'Default',
          volumes: [{ name: 'config-volume', configMap: { name: 'coredns', items: [{ key: 'Corefile', path: 'Corefile' }] } }],
        },
      },
    },
  } as unknown as Deployment;
  deployment.setDefaults!(result);
  return result;
}

test('CoreDNS of kubeadm v1.34 has the hash that real clusters show', () => {
  expect(templateHash(coreDns().spec.template, undefined)).toBe('66bc5c9577');
});

test('the hash depends on the collision count and on nothing that says the same', () => {
  const { template } = coreDns().spec;
  const again: PodTemplateSpec = {
    spec: { ...template.spec!, initContainers: [], imagePullSecrets: [] },
    metadata: { ...template.metadata!, annotations: {} },
  };
  expect(templateHash(again, undefined)).toBe(templateHash(template, undefined));
  const hashes = [undefined, 0, 1, 256].map((count) => templateHash(template, count));
  expect(new Set(hashes).size).toBe(4);
});

test.each([
  ['0', 'value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)0 Format:(resource.Format)}'],
  ['100m', 'value:(int64)100 scale:(resource.Scale)-3} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)100m Format:(resource.Format)DecimalSI}'],
  ['128Mi', 'value:(int64)134217728 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string) Format:(resource.Format)BinarySI}'],
  ['3e4', 'value:(int64)3 scale:(resource.Scale)4} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string) Format:(resource.Format)DecimalExponent}'],
  [
    '100Ti',
    'value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec){unscaled:(big.Int){neg:(bool)false abs:(big.nat)[8568098291072368640 5960]} scale:(inf.Scale)9}} s:(string) Format:(resource.Format)BinarySI}',
  ],
])('the quantity %s prints as Go reads it', (text, expected) => {
  expect(goDump('resource.Quantity', text)).toBe(`(resource.Quantity){i:(resource.int64Amount){${expected}`);
});

test('what has a pointer, an embedded struct or a number or name prints with its types', () => {
  expect(goDump('Probe', { httpGet: { port: 'web' }, timeoutSeconds: 2 })).toBe(
    '(v1.Probe){ProbeHandler:(v1.ProbeHandler){Exec:(*v1.ExecAction)<nil> HTTPGet:(*v1.HTTPGetAction){Path:(string) ' +
      'Port:(intstr.IntOrString){Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)web} Host:(string) Scheme:(v1.URIScheme) HTTPHeaders:([]v1.HTTPHeader)<nil>} ' +
      'TCPSocket:(*v1.TCPSocketAction)<nil> GRPC:(*v1.GRPCAction)<nil>} InitialDelaySeconds:(int32)0 TimeoutSeconds:(int32)2 PeriodSeconds:(int32)0 ' +
      'SuccessThreshold:(int32)0 FailureThreshold:(int32)0 TerminationGracePeriodSeconds:(*int64)<nil>}',
  );
});

test('the name of a ReplicaSet fits', () => {
  expect(replicaSetName('a'.repeat(253), '66bc5c9577')).toHaveLength(253);
});
