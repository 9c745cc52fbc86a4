import type { Container, PodSpec, VolumeProjection } from '../../../generated/types/core.v1.ts';
import { containersOf } from './containers.ts';

const everyContainer = (spec: PodSpec): Container[] => containersOf(spec, '').map(({ container }) => container);
const projections = (spec: PodSpec): VolumeProjection[] => (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);

interface GatedField {
  isUsed(spec: PodSpec): boolean;
  drop(spec: PodSpec): void;
}

const projection = (source: 'clusterTrustBundle' | 'podCertificate'): GatedField => ({
  isUsed: (spec) => projections(spec).some((one) => one[source]),
  drop: (spec) => {
    for (const one of projections(spec)) delete one[source];
  },
});

/** A policy of its own that is not the sidecar's, or rules for it. */
const restartRules: GatedField = {
  isUsed: (spec) =>
    (spec.initContainers ?? []).some(({ restartPolicy, restartPolicyRules }) => (restartPolicy ?? 'Always') !== 'Always' || restartPolicyRules?.length) ||
    (spec.containers ?? []).some(({ restartPolicy, restartPolicyRules }) => restartPolicy !== undefined || restartPolicyRules?.length),
  drop: (spec) => {
    for (const container of everyContainer(spec)) {
      delete container.restartPolicyRules;
      if (container.restartPolicy !== 'Always' || !spec.initContainers?.includes(container)) delete container.restartPolicy;
    }
  },
};

const stopSignal: GatedField = {
  isUsed: (spec) => everyContainer(spec).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined),
  drop: (spec) => {
    for (const container of everyContainer(spec)) {
      if (container.lifecycle?.stopSignal === undefined) continue;
      delete container.lifecycle.stopSignal;
      if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
    }
  },
};

const fileKeyRef: GatedField = {
  isUsed: (spec) => everyContainer(spec).some(({ env }) => env?.some(({ valueFrom }) => valueFrom?.fileKeyRef)),
  drop: (spec) => {
    for (const { env } of everyContainer(spec)) for (const { valueFrom } of env ?? []) if (valueFrom?.fileKeyRef) delete valueFrom.fileKeyRef;
  },
};

const imageVolumes: GatedField = {
  isUsed: (spec) => (spec.volumes ?? []).some(({ image }) => image),
  drop: (spec) => {
    const dropped = (spec.volumes ?? []).filter(({ image }) => image).map(({ name }) => name);
    if (dropped.length === 0) return;
    spec.volumes = spec.volumes!.filter(({ image }) => !image);
    if (spec.volumes.length === 0) delete spec.volumes;
    for (const container of everyContainer(spec)) {
      const mounts = container.volumeMounts?.filter(({ name }) => !dropped.includes(name)) ?? [];
      if (mounts.length) container.volumeMounts = mounts;
      else delete container.volumeMounts;
    }
  },
};

const hostnameOverride: GatedField = {
  isUsed: (spec) => spec.hostnameOverride !== undefined,
  drop: (spec) => {
    delete spec.hostnameOverride;
  },
};

const GATED = [projection('clusterTrustBundle'), projection('podCertificate'), restartRules, hostnameOverride, fileKeyRef, imageVolumes, stopSignal];

/**
 * Drops the fields that v1.34 has behind feature gates which are closed unless someone opens them; a pod that has one, keeps
 * it (upstream: pkg/api/pod, dropDisabledFields).
 */
export function dropGatedFields(spec: PodSpec | undefined, old?: PodSpec): void {
  if (!spec) return;
  for (const field of GATED) if (!old || !field.isUsed(old)) field.drop(spec);
}
