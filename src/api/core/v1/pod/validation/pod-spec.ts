import { at, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { PodSpec, PodTemplateSpec } from '../../../../generated/types/core.v1.ts';
import type { ObjectMeta } from '../../../../generated/types/meta.v1.ts';
import { validateLabels } from '../../../../label-validation.ts';
import { validateAnnotations } from '../../../../meta/validation.ts';
import { inclusiveRange } from '../../../../names.ts';
import { checkLabelName, checkOneOf, checkSubdomain } from '../../../../validation.ts';
import { checkAffinity } from './affinity.ts';
import { checkContainers, checkEphemeralContainers, checkInitContainers } from './containers.ts';
import { checkDnsConfig, checkHostAliases, checkHostNetworkPorts } from './network.ts';
import { checkHostProcess, checkOperatingSystem } from './operating-system.ts';
import { checkPodResources } from './pod-resources.ts';
import { checkPodResourceClaims } from './resource-claims.ts';
import { checkContainerResourceName, checkRequirements } from './resources.ts';
import { checkReadinessGates, checkSchedulingGates, checkSpreadConstraints, checkTolerations } from './scheduling.ts';
import { checkHostUsers, checkPodSecurityContext } from './security.ts';
import { checkVolumes } from './volumes.ts';

const MAX_INT32 = 0x7fffffff;

/**
 * Everything wrong with a pod's spec, or a template's, in upstream's order (pkg/apis/core/validation, ValidatePodSpec).
 * @param options.isPod the spec of a pod itself, for which some rules are stricter
 * @param options.metadata the pod's
 */
export function validatePodSpec(spec: PodSpec, field: string, { isPod, metadata }: { isPod: boolean; metadata?: ObjectMeta }): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(`${field}.terminationGracePeriodSeconds`));
  const volumes = checkVolumes(spec.volumes, `${field}.volumes`, { isPod, metadata });
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter(Boolean));
  const context = { spec, volumes: volumes.sound, claims };
  return [
    ...errors,
    ...volumes.errors,
    ...checkPodResourceClaims(spec.resourceClaims, metadata, `${field}.resourceClaims`),
    ...checkContainers(context, `${field}.containers`),
    ...checkInitContainers(context, `${field}.initContainers`),
    ...checkEphemeralContainers(context, `${field}.ephemeralContainers`),
    ...checkPodResources(spec, claims, `${field}.resources`),
    ...checkHostNetworkPorts(spec, field, { isPod }),
    ...checkOneOf(spec.restartPolicy, ['Always', 'OnFailure', 'Never'], `${field}.restartPolicy`),
    ...checkOneOf(spec.dnsPolicy, ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'], `${field}.dnsPolicy`),
    ...validateLabels(spec.nodeSelector, `${field}.nodeSelector`),
    ...checkPodSecurityContext(spec, field),
    ...checkAffinity(spec.affinity, `${field}.affinity`),
    ...checkDnsConfig(spec, `${field}.dnsConfig`),
    ...checkReadinessGates(spec, `${field}.readinessGates`),
    ...checkSchedulingGates(spec.schedulingGates, `${field}.schedulingGates`),
    ...checkSpreadConstraints(spec.topologySpreadConstraints, `${field}.topologySpreadConstraints`),
    ...checkHostProcess(spec, field),
    ...checkHostUsers(spec, field),
    ...checkNames(spec, field),
    ...checkTolerations(spec.tolerations, `${field}.tolerations`),
    ...checkHostAliases(spec, `${field}.hostAliases`),
    ...checkClasses(spec, field),
    ...checkOperatingSystem(spec, field),
  ];
}

function checkNames({ serviceAccountName, nodeName, activeDeadlineSeconds, hostname, subdomain }: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (serviceAccountName) errors.push(...checkSubdomain(serviceAccountName, `${field}.serviceAccountName`));
  if (nodeName) errors.push(...checkSubdomain(nodeName, `${field}.nodeName`));
  if (activeDeadlineSeconds !== undefined && (activeDeadlineSeconds < 1 || activeDeadlineSeconds > MAX_INT32)) {
    errors.push(invalid(`${field}.activeDeadlineSeconds`, activeDeadlineSeconds, inclusiveRange(1, MAX_INT32)));
  }
  if (hostname) errors.push(...checkLabelName(hostname, `${field}.hostname`));
  if (subdomain) errors.push(...checkLabelName(subdomain, `${field}.subdomain`));
  return errors;
}

function checkClasses({ priorityClassName, runtimeClassName, preemptionPolicy, overhead }: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (priorityClassName) errors.push(...checkSubdomain(priorityClassName, `${field}.priorityClassName`));
  if (runtimeClassName !== undefined) errors.push(...checkSubdomain(runtimeClassName, `${field}.runtimeClassName`));
  if (preemptionPolicy !== undefined) errors.push(...checkOneOf(preemptionPolicy, ['PreemptLowerPriority', 'Never'], `${field}.preemptionPolicy`));
  if (overhead)
    errors.push(...checkRequirements({ limits: overhead }, { checkName: checkContainerResourceName, claims: new Set(), field: `${field}.overhead` }));
  return errors;
}

/** Of a change of the ephemeral containers alone. */
export function checkPodSpecEphemeralContainers(spec: PodSpec, field: string): FieldError[] {
  const { sound } = checkVolumes(spec.volumes, 'spec.volumes', { isPod: true });
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  return checkEphemeralContainers({ spec, volumes: sound, claims }, field);
}

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const MIRROR = 'kubernetes.io/config.mirror';

/** Annotations with a meaning of their own (upstream: ValidatePodSpecificAnnotations). */
export function checkPodAnnotations({ metadata, spec }: { metadata?: ObjectMeta; spec: PodSpec }, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const { [MIRROR]: mirror, [DELETION_COST]: cost } = metadata?.annotations ?? {};
  if (mirror !== undefined && !spec.nodeName) errors.push(invalid(at(field, MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  if (cost === undefined) return errors;
  const sound = cost === '0' || (/^-?[1-9]\d{0,9}$/.test(cost) && Number(cost) >= -MAX_INT32 - 1 && Number(cost) <= MAX_INT32);
  return sound ? errors : [...errors, invalid(at(field, DELETION_COST), cost, 'must be a 32bit integer')];
}

/** What is checked of a pod but not of a template. */
export function checkPodOnly(spec: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!spec.serviceAccountName) {
    (spec.volumes ?? []).forEach(({ projected }, i) => {
      (projected?.sources ?? []).forEach(({ serviceAccountToken }, j) => {
        if (!serviceAccountToken) return;
        const path = `${at(`${at(`${field}.volumes`, i)}.projected.sources`, j)}.serviceAccountToken`;
        errors.push(forbidden(path, 'must not be specified when serviceAccountName is not set'));
      });
    });
  }
  for (const list of ['containers', 'initContainers'] as const) {
    (spec[list] ?? []).forEach(({ image = '' }, index) => {
      if (image.trim() !== image) errors.push(invalid(`${at(`${field}.${list}`, index)}.image`, image, 'must not have leading or trailing whitespace'));
    });
  }
  return errors;
}

/** Upstream: ValidatePodTemplateSpec. */
export function validatePodTemplate(template: PodTemplateSpec, field: string): FieldError[] {
  const { metadata = {}, spec } = template;
  const errors = [
    ...validateLabels(metadata.labels, `${field}.labels`),
    ...validateAnnotations(metadata.annotations, `${field}.annotations`),
    ...checkPodAnnotations(template, `${field}.annotations`),
    ...validatePodSpec(spec, `${field}.spec`, { isPod: false }),
  ];
  if (spec.ephemeralContainers?.length) errors.push(forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  return errors;
}
