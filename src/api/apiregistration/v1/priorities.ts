/** In which order clients that are free to choose look at groups and versions (upstream: pkg/controlplane/apiserver/aggregator.go, apiVersionPriorities). */
export interface Priorities {
  groupPriorityMinimum: number;
  versionPriority: number;
}

const GROUPS: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'apiextensions.k8s.io': 16_700,
  'admissionregistration.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
};
const VERSIONS: Readonly<Record<string, number>> = { '/v1': 1, 'autoscaling/v2': 30, 'flowcontrol.apiserver.k8s.io/v1': 21, 'resource.k8s.io/v1': 21 };

export interface GroupVersion {
  group: string;
  version: string;
}

/** What the server serves by itself, but for the group of APIServices, which has none. */
export const OWN_GROUP_VERSIONS: readonly (GroupVersion & Priorities)[] = Object.entries(GROUPS).flatMap(([group, groupPriorityMinimum]) =>
  ['v1', ...(group === 'autoscaling' ? ['v2'] : [])].map((version) => ({
    group,
    version,
    groupPriorityMinimum,
    versionPriority: VERSIONS[`${group}/${version}`] ?? 15,
  })),
);

/** Those of groups that custom resource definitions make. */
export const CUSTOM_PRIORITIES: Priorities = { groupPriorityMinimum: 1000, versionPriority: 100 };
