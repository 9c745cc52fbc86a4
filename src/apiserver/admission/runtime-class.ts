import { deepEqual } from '../../api/equality.ts';
import type { Pod, Toleration } from '../../api/generated/types/core.v1.ts';
import type { RuntimeClass } from '../../api/generated/types/node.v1.ts';
import { RuntimeClasses } from '../../api/resources.ts';
import { forbidden } from '../../api/status.ts';
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from './admission.ts';

type Overhead = Pod['spec']['overhead'];

/** Gives a pod what its runtime class costs, and where it can run (upstream: plugin/pkg/admission/runtimeclass). */
export const runtimeClass: AdmissionPlugin = {
  name: 'RuntimeClass',

  async admit(attributes, context) {
    if (!isNewPod(attributes)) return attributes.object;
    const pod = attributes.object as Pod;
    const refuse = refusal(attributes);
    const found = await classOf(pod, context, refuse);
    const overhead = found?.overhead?.podFixed;
    if (overhead) {
      if (!isEmpty(pod.spec.overhead) && !deepEqual(overhead, pod.spec.overhead))
        throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
      pod.spec.overhead = overhead;
    }
    if (found?.scheduling) schedule(pod, found.scheduling, refuse);
    return pod;
  },

  async validate(attributes, context) {
    if (!isNewPod(attributes)) return undefined;
    const pod = attributes.object as Pod;
    const refuse = refusal(attributes);
    const overhead = (await classOf(pod, context, refuse))?.overhead;
    if (!overhead && !isEmpty(pod.spec.overhead)) throw refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    if (overhead && !deepEqual(overhead.podFixed ?? {}, pod.spec.overhead ?? {})) {
      throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    }
    return undefined;
  },
};

type Refuse = (why: string) => Error;

const isNewPod = ({ operation, resource, subresource }: AdmissionAttributes): boolean =>
  operation === 'CREATE' && resource.facts.kind === 'Pod' && !subresource;

const refusal =
  ({ resource, name }: AdmissionAttributes): Refuse =>
  (why) =>
    forbidden(resource.facts, name, why);

const isEmpty = (overhead: Overhead): boolean => Object.keys(overhead ?? {}).length === 0;

async function classOf({ spec }: Pod, context: AdmissionContext, refuse: Refuse): Promise<RuntimeClass | undefined> {
  const { runtimeClassName: name } = spec;
  if (name === undefined) return undefined;
  const found = await context.get(RuntimeClasses, { namespace: '', name });
  if (!found) throw refuse(`pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  return found;
}

function schedule({ spec }: Pod, { nodeSelector = {}, tolerations = [] }: NonNullable<RuntimeClass['scheduling']>, refuse: Refuse): void {
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value)
      throw refuse(`conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`);
  }
  if (Object.keys(nodeSelector).length) spec.nodeSelector = { ...spec.nodeSelector, ...nodeSelector };
  if (tolerations.length) spec.tolerations = merged([...(spec.tolerations ?? []), ...tolerations]);
}

/** Without those that another one covers; of two that are the same, the first stays. */
function merged(tolerations: readonly Toleration[]): Toleration[] {
  return tolerations.filter((one, index) => !tolerations.some((other, at) => at !== index && covers(other, one) && (at < index || !covers(one, other))));
}

/** Whether whatever `b` tolerates, `a` does too (upstream: pkg/util/tolerations isSuperset). */
function covers(a: Toleration, b: Toleration): boolean {
  if (deepEqual(a, b)) return true;
  if (a.key ? a.key !== b.key : a.operator !== 'Exists') return false;
  if (a.effect && a.effect !== b.effect) return false;
  if (a.effect === 'NoExecute' && a.tolerationSeconds !== undefined && (b.tolerationSeconds === undefined || b.tolerationSeconds > a.tolerationSeconds))
    return false;
  return a.operator === 'Exists' || ((b.operator ?? 'Equal') !== 'Exists' && (a.value ?? '') === (b.value ?? ''));
}
