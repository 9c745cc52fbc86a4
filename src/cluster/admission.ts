import type { AdmissionPlugin, AdmissionServer } from '../apiserver/admission/admission.ts';
import { certificates } from '../apiserver/admission/certificates.ts';
import { claimResize } from '../apiserver/admission/claim-resize.ts';
import { defaultStorageClass } from '../apiserver/admission/default-storage-class.ts';
import { defaultTolerationSeconds } from '../apiserver/admission/default-toleration-seconds.ts';
import { validatingPolicies } from '../apiserver/admission/dynamic/validating-policies.ts';
import { mutatingWebhooks, validatingWebhooks } from '../apiserver/admission/dynamic/webhooks.ts';
import { limitRanger } from '../apiserver/admission/limit-ranger.ts';
import { namespaceLifecycle } from '../apiserver/admission/namespace-lifecycle.ts';
import { podSecurity } from '../apiserver/admission/pod-security/pod-security.ts';
import { priority } from '../apiserver/admission/priority.ts';
import { resourceQuota } from '../apiserver/admission/resource-quota.ts';
import { runtimeClass } from '../apiserver/admission/runtime-class.ts';
import { serviceAccount } from '../apiserver/admission/service-account.ts';
import { serviceAddresses } from '../apiserver/admission/service-addresses.ts';
import { storageObjectInUseProtection } from '../apiserver/admission/storage-object-in-use-protection.ts';
import { taintNodesByCondition } from '../apiserver/admission/taint-nodes-by-condition.ts';

/** The admission chain, in upstream's order; quotas come last, when nothing else can refuse any more. */
export function admissionPlugins(server: AdmissionServer): AdmissionPlugin[] {
  return [
    namespaceLifecycle,
    limitRanger,
    serviceAccount,
    taintNodesByCondition,
    podSecurity,
    priority,
    defaultTolerationSeconds,
    defaultStorageClass,
    storageObjectInUseProtection,
    claimResize,
    runtimeClass,
    serviceAddresses(),
    certificates,
    mutatingWebhooks(server),
    validatingPolicies(server),
    validatingWebhooks(server),
    resourceQuota(),
  ];
}
