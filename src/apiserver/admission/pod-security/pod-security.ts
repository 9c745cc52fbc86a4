import { deepEqual } from '../../../api/equality.ts';
import { type FieldError, invalid as invalidField } from '../../../api/field-error.ts';
import type { Container, Namespace, Pod, PodSpec } from '../../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Namespaces, Pods } from '../../../api/resources.ts';
import { forbidden, invalid } from '../../../api/status.ts';
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from '../admission.ts';
import { type Level, type PodForm, violations } from './checks.ts';

interface LevelVersion {
  level: Level;
  version: string;
}

/** What a namespace's labels ask of its pods. */
interface Policy {
  enforce: LevelVersion;
  warn: LevelVersion;
}

const PREFIX = 'pod-security.kubernetes.io/';
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const IGNORED_SUBRESOURCES = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);
/** Where the pods of other kinds are described. */
const TEMPLATED = new Set(['ReplicationController', 'PodTemplate', 'ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob']);
/** A change of a namespace's labels looks at no more pods than this. */
const MOST_PODS = 3000;

/**
 * Holds pods to the Pod Security Standards that the labels of their namespace name (upstream: pod-security-admission). Each
 * version of a standard is taken for the latest.
 */
export const podSecurity: AdmissionPlugin = {
  name: 'PodSecurity',
  async validate(attributes, context) {
    const { resource, subresource, operation } = attributes;
    const { group, kind } = resource.facts;
    if (operation === 'DELETE' || operation === 'CONNECT') return undefined;
    if (group === '' && kind === 'Namespace') await checkNamespace(attributes, context);
    else if (group === '' && kind === 'Pod') await checkPod(attributes, context);
    else if (TEMPLATED.has(kind) && !subresource) await checkTemplate(attributes, context);
    return undefined;
  },
};

/** @throws StatusError Forbidden */
async function checkPod(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const { resource, subresource, name, namespace, object, old } = attributes;
  if (IGNORED_SUBRESOURCES.has(subresource)) return;
  const policy = await policyOf(context, namespace);
  if (!policy || (old && !isSignificant((object as Pod).spec, (old as Pod).spec))) return;
  const { enforce, warn } = policy;
  const enforced = detailOf(enforce, object as Pod);
  if (enforced) throw forbidden(resource.facts, name, `violates PodSecurity "${enforce.level}:${enforce.version}": ${enforced}`);
  tell(attributes, warn, object as Pod);
}

async function checkTemplate(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const policy = await policyOf(context, attributes.namespace);
  const template = templateOf(attributes.object as KubeObject);
  if (policy && template?.spec) tell(attributes, policy.warn, template);
}

function templateOf(
  object: KubeObject & { template?: PodForm; spec?: { template?: PodForm; jobTemplate?: { spec?: { template?: PodForm } } } },
): PodForm | undefined {
  return object.template ?? object.spec?.template ?? object.spec?.jobTemplate?.spec?.template;
}

function tell(attributes: AdmissionAttributes, level: LevelVersion, pod: PodForm): void {
  const detail = detailOf(level, pod);
  if (detail) attributes.warn(`would violate PodSecurity "${level.level}:${level.version}": ${detail}`);
}

const detailOf = ({ level }: LevelVersion, pod: PodForm): string =>
  violations(level, pod)
    .map(({ reason, detail }) => (detail ? `${reason} (${detail})` : reason))
    .join(', ');

/** Labels must make sense; that pods which are there already would not be let in any more is told. */
async function checkNamespace(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> {
  const { subresource, object, old, name, resource } = attributes;
  if (subresource) return;
  const next = policyFrom((object as Namespace).metadata.labels);
  const before = policyFrom(old?.metadata.labels);
  if (next.errors.length && !(old && deepEqual(next.errors, before.errors))) throw invalid(resource.facts, name, next.errors);
  const { enforce } = next.policy;
  const { enforce: was } = before.policy;
  const isRelaxed = enforce.version === was.version && LEVELS.indexOf(enforce.level) <= LEVELS.indexOf(was.level);
  if (!old || deepEqual(enforce, was) || enforce.level === 'privileged' || isRelaxed) return;
  for (const warning of await warningsAbout(enforce, name, context)) attributes.warn(warning);
}

async function warningsAbout(enforce: LevelVersion, namespace: string, context: AdmissionContext): Promise<string[]> {
  const pods = await context.all(Pods, namespace);
  const checked = pods.slice(0, MOST_PODS);
  const byReason = new Map<string, string[]>();
  for (const pod of checked) {
    const reasons = violations(enforce.level, pod).map(({ reason }) => reason);
    if (reasons.length) byReason.set(reasons.join(', '), [...(byReason.get(reasons.join(', ')) ?? []), pod.metadata.name ?? '']);
  }
  const told = [...byReason].map(([reason, names]) => {
    const others = names.length - 1;
    const more = others === 0 ? '' : ` (and ${others} other pod${others === 1 ? '' : 's'})`;
    return `${names.sort()[0]}${more}: ${reason}`;
  });
  return [
    ...(checked.length < pods.length ? [`new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`] : []),
    ...(told.length ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${enforce.level}:${enforce.version}"`] : []),
    ...told.sort(),
  ];
}

/** @returns undefined where everything is allowed. */
async function policyOf(context: AdmissionContext, namespace: string): Promise<Policy | undefined> {
  const { labels } = (await context.get(Namespaces, { namespace: '', name: namespace }))?.metadata ?? {};
  if (!labels || !Object.keys(labels).some((label) => label.startsWith(PREFIX))) return undefined;
  return policyFrom(labels).policy;
}

/** Labels that make no sense are the strictest for what is enforced, and the laxest for what is told (api.PolicyToEvaluate). */
function policyFrom(labels: Readonly<Record<string, string>> = {}): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = (mode: string, bad: Level): LevelVersion & { isGiven: boolean } => {
    const [levelLabel, versionLabel] = [`${PREFIX}${mode}`, `${PREFIX}${mode}-version`];
    const { [levelLabel]: level, [versionLabel]: version = 'latest' } = labels;
    const isLevel = level === undefined || LEVELS.includes(level as Level);
    if (!isLevel) errors.push(invalidField(`metadata.labels[${levelLabel}]`, level, `must be one of ${LEVELS.join(', ')}`));
    const isVersion = version === 'latest' || /^v1\.(0|[1-9][0-9]*)$/.test(version);
    if (!isVersion) errors.push(invalidField(`metadata.labels[${versionLabel}]`, version, 'must be "latest" or "v1.x"'));
    return { level: isLevel ? ((level ?? 'privileged') as Level) : bad, version: isVersion ? version : 'latest', isGiven: level !== undefined };
  };
  const enforce = read('enforce', 'restricted');
  read('audit', 'privileged');
  const { isGiven: warns, ...given } = read('warn', 'privileged');
  const { isGiven: _, ...enforced } = enforce;
  const isStricter = LEVELS.includes(labels[`${PREFIX}enforce`] as Level) && LEVELS.indexOf(enforced.level) > LEVELS.indexOf(given.level);
  const hasVersion = labels[`${PREFIX}warn-version`] !== undefined;
  const warn = !warns && isStricter ? { level: enforced.level, version: hasVersion ? given.version : enforced.version } : given;
  return { policy: { enforce: enforced, warn }, errors };
}

/** Upstream looks again at what gets another image, or another container; the rest of a pod that the standards look at cannot change. */
function isSignificant(spec: PodSpec, before: PodSpec): boolean {
  const images = ({ containers = [], initContainers = [], ephemeralContainers = [] }: PodSpec): (string | undefined)[][] =>
    [containers, initContainers, ephemeralContainers].map((list: Container[]) => list.map(({ image }) => image));
  return !deepEqual(images(spec), images(before));
}
