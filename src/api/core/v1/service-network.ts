import type { IPAddress } from '../../generated/types/networking.v1.ts';
import type { Draft } from '../../object.ts';

/** kubeadm's default service network. */
export const SERVICE_NETWORK = '10.96.0.0/16';
/** Where the Service `kubernetes` is: the first address. */
export const API_SERVER_CLUSTER_IP = '10.96.0.1';
export const NODE_PORTS = { first: 30_000, size: 2_768 };

const [BASE, BITS] = [toNumber('10.96.0.0'), 16];
const HOSTS = 2 ** (32 - BITS);

/** Numbers of addresses that a Service may have, from the base on; the first is the network itself, the last its broadcast. */
const FIRST_HOST = 1;
const LAST_HOST = HOSTS - 2;
/** Below it nothing is given out by chance, so that people may choose (upstream: calculateRangeOffset: a sixteenth, of 16 to 256). */
const RESERVED_HOSTS = Math.min(Math.max(16, HOSTS / 16), 256);
/** The same of node ports: a thirty-second, of 16 to 128. */
const RESERVED_PORTS = Math.min(Math.max(16, Math.floor(NODE_PORTS.size / 32)), 128);

/** The address that a dry run shows in the place of one that it does not take. */
export const DRY_RUN_ADDRESS = toText(BASE);

export function isInNetwork(address: string): boolean {
  const host = toNumber(address) - BASE;
  return host >= FIRST_HOST && host <= LAST_HOST;
}

export function isNodePort(port: number): boolean {
  return port >= NODE_PORTS.first && port < NODE_PORTS.first + NODE_PORTS.size;
}

/** All addresses of the network, from a random one on; those kept for people's choice come last. @param draw a random integer below its argument */
export function* addresses(draw: (below: number) => number): Generator<string> {
  for (const host of around(FIRST_HOST + RESERVED_HOSTS, LAST_HOST, draw)) yield toText(BASE + host);
  for (const host of around(FIRST_HOST, FIRST_HOST + RESERVED_HOSTS - 1, draw)) yield toText(BASE + host);
}

/** All node ports, in the same order. */
export function* nodePorts(draw: (below: number) => number): Generator<number> {
  const { first, size } = NODE_PORTS;
  yield* around(first + RESERVED_PORTS, first + size - 1, draw);
  yield* around(first, first + RESERVED_PORTS - 1, draw);
}

function* around(first: number, last: number, draw: (below: number) => number): Generator<number> {
  const count = last - first + 1;
  const start = draw(count);
  for (let i = 0; i < count; i++) yield first + ((start + i) % count);
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, byte) => number * 256 + Number(byte), 0);
}

function toText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

/** What holds an address for a Service (upstream: registry/core/service/ipallocator). */
export function addressOf(service: { namespace: string; name: string }, address: string): Draft<IPAddress> {
  return {
    metadata: {
      name: address,
      labels: { 'ipaddress.kubernetes.io/ip-family': 'IPv4', 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
    },
    spec: { parentRef: { resource: 'services', namespace: service.namespace, name: service.name } },
  };
}
