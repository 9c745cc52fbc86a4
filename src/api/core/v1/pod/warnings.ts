import { at } from '../../../field-error.ts';
import type { Container, ContainerPort, NodeSelectorTerm, Pod, PodSpec, PodTemplateSpec, Volume } from '../../../generated/types/core.v1.ts';
import { dns1123LabelFaults, labelValueFaults } from '../../../names.ts';
import { asMilli } from '../../../quantity.ts';
import { type ContainerAt, containersOf } from './containers.ts';
import { DEPRECATED_ANNOTATIONS, DEPRECATED_NODE_LABELS, DEPRECATED_VOLUMES } from './deprecations.ts';
import { overlapWarnings } from './overlapping-paths.ts';

/** Where a warning points: the path before `spec` and `metadata`, empty for a pod. */
const below = (prefix: string, path: string): string => (prefix ? `${prefix}.${path}` : path);

/** A null selector matches nothing, which is seldom meant. */
const nullSelector = (field: string): string => `${field}: a null labelSelector results in matching no pod`;

export function termWarnings(term: NodeSelectorTerm, field: string, { checkValues }: { checkValues: boolean }): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key, values }, index) => {
    const path = at(`${field}.matchExpressions`, index);
    const deprecated = DEPRECATED_NODE_LABELS[key];
    const wrong = checkValues
      ? (values ?? []).flatMap((value, i) => labelValueFaults(value).map((fault) => `${at(`${path}.values`, i)}: ${value} is invalid, ${fault}`))
      : [];
    return [...(deprecated ? [`${path}.key: ${key} is ${deprecated}`] : []), ...wrong];
  });
}

function placementWarnings(spec: PodSpec, field: string): string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(spec.nodeSelector ?? {}).sort()) {
    if (DEPRECATED_NODE_LABELS[key]) warnings.push(`${at(`${field}.nodeSelector`, key)}: ${DEPRECATED_NODE_LABELS[key]}`);
  }
  const affinity = `${field}.affinity.nodeAffinity`;
  const { requiredDuringSchedulingIgnoredDuringExecution: required, preferredDuringSchedulingIgnoredDuringExecution: preferred } =
    spec.affinity?.nodeAffinity ?? {};
  (required?.nodeSelectorTerms ?? []).forEach((term, index) => {
    const path = at(`${affinity}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`, index);
    warnings.push(...termWarnings(term, path, { checkValues: false }));
  });
  (preferred ?? []).forEach(({ preference }, index) => {
    const path = `${at(`${affinity}.preferredDuringSchedulingIgnoredDuringExecution`, index)}.preference`;
    warnings.push(...termWarnings(preference, path, { checkValues: true }));
  });
  (spec.topologySpreadConstraints ?? []).forEach(({ topologyKey, labelSelector }, index) => {
    const path = at(`${field}.topologySpreadConstraints`, index);
    const deprecated = DEPRECATED_NODE_LABELS[topologyKey];
    if (deprecated) warnings.push(`${path}.topologyKey: ${topologyKey} is ${deprecated}`);
    if (!labelSelector) warnings.push(nullSelector(`${path}.labelSelector`));
  });
  return warnings;
}

function fractional(amounts: Readonly<Record<string, string>> | undefined, name: string, field: string): string[] {
  const value = amounts?.[name];
  if (value === undefined || asMilli(value) % 1000 === 0) return [];
  return [`${at(field, name)}: fractional byte value "${value}" is invalid, must be an integer`];
}

function volumeWarnings(volumes: readonly Volume[], field: string): string[] {
  const deprecated = volumes.flatMap((volume, index) => {
    const path = at(field, index);
    const found = DEPRECATED_VOLUMES.filter(({ key }) => volume[key] !== undefined).map(({ shown, words }) => `${path}.${shown}: ${words}`);
    const requests = volume.ephemeral?.volumeClaimTemplate?.spec.resources?.requests;
    return [...found, ...fractional(requests, 'storage', `${path}.ephemeral.volumeClaimTemplate.spec.resources.requests`)];
  });
  return [...deprecated, ...volumes.flatMap(overlapWarnings)];
}

/** What is named more than once. */
function repeated(values: readonly string[], warning: (value: string, index: number) => string): string[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [warning(value, index)] : []));
}

function environmentWarnings({ env = [] }: Container, field: string): string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = '', valueFrom }, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    // A value that goes on from the one before it is meant: X="$(X)123".
    const reference = `$(${name})`;
    if (!valueFrom && value !== reference && value.includes(reference)) return [];
    return [`${at(`${field}.env`, index)}: hides previous definition of "${name}", which may be dropped when using apply`];
  });
}

function containerWarnings({ container, path }: ContainerAt, annotated: (key: string) => string | undefined, spec: PodSpec, isTemplate: boolean): string[] {
  const warnings: string[] = [];
  const { securityContext, resources, name } = container;
  const seccomp = annotated(`container.seccomp.security.alpha.kubernetes.io/${name}`);
  if (seccomp && !securityContext?.seccompProfile) warnings.push(`${seccomp}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  const appArmor = annotated(`container.apparmor.security.beta.kubernetes.io/${name}`);
  if (appArmor && isTemplate && !spec.securityContext?.appArmorProfile && !securityContext?.appArmorProfile)
    warnings.push(`${appArmor}: deprecated since v1.30; use the "appArmorProfile" field instead`);
  for (const resource of ['memory', 'ephemeral-storage']) {
    for (const key of ['limits', 'requests'] as const) warnings.push(...fractional(resources?.[key], resource, `${path}.resources.${key}`));
  }
  return [...warnings, ...environmentWarnings(container, path)];
}

function clash(port: ContainerPort, other: ContainerPort): string | undefined {
  const [ip = '', otherIP = ''] = [port.hostIP, other.hostIP];
  const [number = 0, otherNumber = 0] = [port.hostPort, other.hostPort];
  if (ip === otherIP && number === otherNumber) return 'duplicate port definition';
  if (number === 0 || otherNumber === 0) return 'overlapping port definition';
  return number === otherNumber && (ip === '') !== (otherIP === '') ? 'dangerously ambiguous port definition' : undefined;
}

function portWarnings(visited: readonly ContainerAt[]): string[] {
  const seen = new Map<string, { field: string; port: ContainerPort }[]>();
  return visited.flatMap(({ container, path }) =>
    (container.ports ?? []).flatMap((port, index) => {
      const field = at(`${path}.ports`, index);
      const { name = '', hostPort = 0, containerPort, protocol = '', hostIP } = port;
      const warnings: string[] = [];
      if (hostIP && !hostPort) {
        const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
        warnings.push(`${field}: hostIP set without hostPort: ${shown}`);
      }
      const key = `${containerPort}/${protocol}`;
      const others = seen.get(key) ?? [];
      for (const other of others) {
        const words = clash(port, other.port);
        if (words) warnings.push(`${field}: ${words} with ${other.field}`);
      }
      seen.set(key, [...others, { field, port }]);
      return warnings;
    }),
  );
}

function portNameWarnings(visited: readonly ContainerAt[]): string[] {
  const seen = new Map<string, string>();
  return visited.flatMap(({ container, path }) =>
    (container.ports ?? []).flatMap(({ name }, index) => {
      if (!name) return [];
      const field = at(`${path}.ports`, index);
      const first = seen.get(name);
      if (first === undefined) seen.set(name, field);
      return first === undefined
        ? []
        : [`${field}: duplicate port name "${name}" with ${first}, services and probes that select ports by name will use ${first}`];
    }),
  );
}

function podAffinityWarnings({ affinity }: PodSpec, field: string): string[] {
  return (['podAffinity', 'podAntiAffinity'] as const).flatMap((kind) => {
    const path = `${field}.affinity.${kind}`;
    const { requiredDuringSchedulingIgnoredDuringExecution: required = [], preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } =
      affinity?.[kind] ?? {};
    return [
      ...required.flatMap(({ labelSelector }, index) =>
        labelSelector ? [] : [nullSelector(`${at(`${path}.requiredDuringSchedulingIgnoredDuringExecution`, index)}.labelSelector`)],
      ),
      ...preferred.flatMap(({ podAffinityTerm }, index) =>
        podAffinityTerm.labelSelector
          ? []
          : [nullSelector(`${at(`${path}.preferredDuringSchedulingIgnoredDuringExecution`, index)}.podAffinityTerm.labelSelector`)],
      ),
    ];
  });
}

/** What is allowed but hardly meant, in a pod or, with its path, in a template (upstream: pkg/api/pod/warnings.go). */
function warningsOf({ metadata, spec }: { metadata?: Pod['metadata']; spec: PodSpec }, prefix: string): string[] {
  const field = below(prefix, 'spec');
  const annotations = below(prefix, 'metadata.annotations');
  const annotated = (key: string): string | undefined => (metadata?.annotations?.[key] === undefined ? undefined : at(annotations, key));
  const secrets = (spec.imagePullSecrets ?? []).map(({ name = '' }) => name);
  const addresses = (spec.hostAliases ?? []).map(({ ip }) => ip);
  const seccomp = annotated('seccomp.security.alpha.kubernetes.io/pod');
  const visited = containersOf(spec, field);
  return [
    ...placementWarnings(spec, field),
    ...DEPRECATED_ANNOTATIONS.flatMap(({ key, words }) => (annotated(key) ? [`${annotated(key)}: ${words}`] : [])),
    ...volumeWarnings(spec.volumes ?? [], `${field}.volumes`),
    ...repeated(addresses, (ip, index) => `${at(`${field}.hostAliases`, index)}.ip: duplicate ip "${ip}"`),
    ...repeated(secrets, (name, index) => `${at(`${field}.imagePullSecrets`, index)}.name: duplicate name "${name}"`),
    ...secrets.flatMap((name, index) => (name ? [] : [`${at(`${field}.imagePullSecrets`, index)}.name: invalid empty name ""`])),
    ...fractional(spec.overhead, 'memory', `${field}.overhead`),
    ...fractional(spec.overhead, 'ephemeral-storage', `${field}.overhead`),
    ...(seccomp && !spec.securityContext?.seccompProfile ? [`${seccomp}: non-functional in v1.27+; use the "seccompProfile" field instead`] : []),
    ...visited.flatMap((one) => containerWarnings(one, annotated, spec, prefix !== '')),
    ...portWarnings(visited),
    ...portNameWarnings(visited),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${field}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...podAffinityWarnings(spec, field),
  ];
}

function nameWarnings(name: string | undefined, where: string): string[] {
  const faults = dns1123LabelFaults(name ?? '');
  const words = `metadata.name: this is used in ${where}, which can result in surprising behavior; a DNS label is recommended`;
  return faults.length ? [`${words}: [${faults.join(' ')}]`] : [];
}

/** For a kind whose pods are named after it, when it is made. */
export function ownerNameWarnings(name: string | undefined): string[] {
  return nameWarnings(name, 'Pod names and hostnames');
}

export function templateWarnings(template: PodTemplateSpec, field: string): string[] {
  return warningsOf(template, field);
}

/** Of a new pod. A pod that changes is seldom changed by a person, who alone would read them. */
export function podWarnings(pod: Pod, old: Pod | undefined): string[] {
  return old ? [] : [...nameWarnings(pod.metadata.name, "the Pod's hostname"), ...warningsOf(pod, '')];
}
