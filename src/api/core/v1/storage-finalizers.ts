/** What keeps a claim while a pod uses it. */
export const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
/** What keeps a volume while a claim has it. */
export const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';
