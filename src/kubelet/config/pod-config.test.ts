import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, Service } from '../../api/generated/types/core.v1.ts';
import { hostsFile } from './hosts-file.ts';
import { containerResources, podLimits } from './linux-resources.ts';
import { podDns } from './pod-dns.ts';
import { checkNonRoot, containerSecurity, namespacesOf } from './security.ts';
import { serviceEnvironment } from './service-environment.ts';

const container = (more: Partial<Container> = {}): Container => ({ name: 'c', image: 'i', resources: {}, ...more });
const pod = (spec: Partial<PodSpec> = {}, status: Pod['status'] = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u' },
  spec: { containers: [container()], ...spec },
  status,
});

describe('/etc/resolv.conf', () => {
  const machine = { servers: ['1.1.1.1'], searches: ['lan'], options: ['edns0'] };
  const cluster = { servers: ['10.0.0.10'], domain: 'cluster.local' };
  const ofCluster = ['n.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'lan'];
  test.each<[string, Partial<PodSpec>, object]>([
    ['ClusterFirst', { dnsPolicy: 'ClusterFirst' }, { servers: ['10.0.0.10'], searches: ofCluster, options: ['ndots:5'] }],
    ['ClusterFirst on the host network', { dnsPolicy: 'ClusterFirst', hostNetwork: true }, machine],
    ['ClusterFirstWithHostNet', { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true }, { servers: ['10.0.0.10'] }],
    ['Default', { dnsPolicy: 'Default' }, machine],
    ['None', { dnsPolicy: 'None', dnsConfig: { nameservers: ['9.9.9.9'] } }, { servers: ['9.9.9.9'], searches: [], options: [] }],
    [
      'its own configuration on top',
      { dnsPolicy: 'ClusterFirst', dnsConfig: { searches: ['lan', 'x'], options: [{ name: 'ndots', value: '2' }, { name: 'rotate' }] } },
      { searches: [...ofCluster, 'x'], options: ['ndots:2', 'rotate'] },
    ],
  ])('%s', (_name, spec, wanted) => expect(podDns(pod(spec), cluster, machine)).toMatchObject(wanted));

  test('without servers of the cluster, those of the machine', () => {
    expect(podDns(pod({ dnsPolicy: 'ClusterFirst' }), { servers: [], domain: 'cluster.local' }, machine)).toEqual(machine);
  });
});

describe('/etc/hosts', () => {
  const options = { podIPs: ['10.0.0.2'], clusterDomain: 'cluster.local', machineHosts: '127.0.0.1 machine\n' };
  const lines = (spec: Partial<PodSpec>): string[] => hostsFile(pod(spec), options).split('\n');

  test('has the pod itself, its subdomain, and its aliases', () => {
    const all = lines({ subdomain: 's', hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }] });
    expect(all[0]).toBe('# Kubernetes-managed hosts file.');
    expect(all.slice(-5)).toEqual(['10.0.0.2\tp.s.n.svc.cluster.local\tp', '', '# Entries added by HostAliases.', '1.2.3.4\ta\tb', '']);
  });

  test('is the machine’s on the network of the machine', () => {
    expect(lines({ hostNetwork: true })).toEqual(['# Kubernetes-managed hosts file (host network).', '127.0.0.1 machine', '']);
  });

  test('has the pod’s name as far as the kernel takes it', () => {
    expect(lines({ hostname: `${'a'.repeat(62)}-b` }).at(-2)).toBe(`10.0.0.2\t${'a'.repeat(62)}`);
  });
});

describe('variables of services', () => {
  const service = (name: string, namespace: string, spec: Service['spec']): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec,
    status: { loadBalancer: {} },
  });
  const all = [
    service('kubernetes', 'default', { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] }),
    service('my-db', 'n', { clusterIP: '10.96.0.9', ports: [{ port: 53, protocol: 'UDP' }] }),
    service('headless', 'n', { clusterIP: 'None', ports: [{ port: 1 }] }),
  ];
  const source = { services: async (namespace: string) => all.filter(({ metadata }) => metadata.namespace === namespace) };

  test('are those of the namespace, and of the API server', async () => {
    expect(Object.fromEntries(await serviceEnvironment(pod(), source))).toEqual({
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      KUBERNETES_PORT: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
      KUBERNETES_PORT_443_TCP_PORT: '443',
      KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
      MY_DB_SERVICE_HOST: '10.96.0.9',
      MY_DB_SERVICE_PORT: '53',
      MY_DB_PORT: 'udp://10.96.0.9:53',
      MY_DB_PORT_53_UDP: 'udp://10.96.0.9:53',
      MY_DB_PORT_53_UDP_PROTO: 'udp',
      MY_DB_PORT_53_UDP_PORT: '53',
      MY_DB_PORT_53_UDP_ADDR: '10.96.0.9',
    });
  });

  test('without links, that of the API server alone', async () => {
    const names = [...(await serviceEnvironment(pod({ enableServiceLinks: false }), source)).keys()];
    expect(names.filter((name) => !name.startsWith('KUBERNETES_'))).toEqual([]);
  });
});

describe('what the kernel holds containers to', () => {
  const GIB = 2 ** 30;
  const burstable = { qosClass: 'Burstable' };
  test.each<[string, Pod['status'], Container['resources'], object]>([
    ['nothing', { qosClass: 'BestEffort' }, {}, { cpuShares: 2, cpuQuota: 0, memoryLimitBytes: 0, oomScoreAdj: 1000 }],
    ['a limit alone', burstable, { limits: { cpu: '500m', memory: '64Mi' } }, { cpuShares: 512, cpuQuota: 50_000, memoryLimitBytes: 67_108_864 }],
    ['a quarter of the memory', burstable, { requests: { memory: '1Gi', cpu: '1' } }, { cpuShares: 1024, cpuQuota: 0, oomScoreAdj: 750 }],
    ['all of the memory', burstable, { requests: { memory: '4Gi' } }, { oomScoreAdj: 3 }],
    ['hardly any memory', burstable, { requests: { memory: '1Ki' } }, { oomScoreAdj: 999 }],
    ['guaranteed', { qosClass: 'Guaranteed' }, {}, { oomScoreAdj: -997 }],
    ['the smallest quota', burstable, { limits: { cpu: '1m' } }, { cpuQuota: 1000 }],
  ])('%s', (_name, status, resources, wanted) => {
    const one = container(resources ? { resources } : {});
    expect(containerResources(pod({ containers: [one] }, status), one, 4 * GIB)).toMatchObject(wanted);
  });

  test('a pod has a limit where all of its containers have one', () => {
    const limited = container({ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1' } } });
    expect(podLimits(pod({ containers: [limited, limited] }))).toMatchObject({ cpuQuota: 200_000, memoryLimitBytes: 2 * GIB, cpuShares: 2048 });
    expect(podLimits(pod({ containers: [limited, container()] }))).toMatchObject({ cpuQuota: 0, memoryLimitBytes: 0, cpuShares: 1024 });
  });
});

describe('as whom containers run', () => {
  test('the container’s own context stands before the pod’s', () => {
    const one = container({ securityContext: { runAsUser: 2 } });
    const context = containerSecurity(pod({ securityContext: { runAsUser: 1, runAsGroup: 3, fsGroup: 4, supplementalGroups: [5] } }), one);
    expect(context).toMatchObject({ runAsUser: 2, runAsGroup: 3, supplementalGroups: [4, 5], seccomp: { type: 'Unconfined' } });
  });

  test.each<[string, Partial<PodSpec>, object]>([
    ['nothing said', {}, { network: 'pod', pid: 'container', ipc: 'pod' }],
    ['the machine’s', { hostNetwork: true, hostPID: true, hostIPC: true }, { network: 'node', pid: 'node', ipc: 'node' }],
    ['shared processes', { shareProcessNamespace: true }, { pid: 'pod' }],
  ])('namespaces: %s', (_name, spec, wanted) => expect(namespacesOf(pod(spec))).toMatchObject(wanted));

  const image = (user: object): Parameters<typeof checkNonRoot>[2] => ({ id: 'x', repoTags: [], repoDigests: [], size: 1, ...user });
  test.each<[string, Container['securityContext'], object, string | undefined]>([
    ['root by its context', { runAsNonRoot: true, runAsUser: 0 }, {}, 'breaks non-root policy'],
    ['root by its image', { runAsNonRoot: true }, { user: { uid: 0 } }, 'image will run as root'],
    ['a name in its image', { runAsNonRoot: true }, { user: { name: 'me' } }, 'non-numeric user (me)'],
    ['somebody', { runAsNonRoot: true }, { user: { uid: 7 } }, undefined],
    ['not asked', {}, { user: { uid: 0 } }, undefined],
  ])('not as root: %s', (_name, securityContext, user, fault) => {
    const check = (): void => checkNonRoot(pod(), container(securityContext ? { securityContext } : {}), image(user));
    if (fault) expect(check).toThrow(fault);
    else expect(check).not.toThrow();
  });
});
