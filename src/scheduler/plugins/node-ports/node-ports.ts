import type { FilterPlugin } from '../../framework.ts';
import type { PodInfo } from '../../node-info.ts';

const ANY = '0.0.0.0';

type HostPort = PodInfo['ports'][number];

function clash(a: HostPort, b: HostPort): boolean {
  return a.hostPort === b.hostPort && a.protocol === b.protocol && (a.hostIP === b.hostIP || a.hostIP === ANY || b.hostIP === ANY);
}

export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  filter({ ports }) {
    if (ports.length === 0) return undefined;
    return (node) => {
      for (const other of node.pods.values()) {
        if (other.ports.some((taken) => ports.some((wanted) => clash(wanted, taken)))) {
          return { reasons: ["node(s) didn't have free ports for the requested pod ports"], unresolvable: false };
        }
      }
      return undefined;
    };
  },
};
