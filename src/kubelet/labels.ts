/** Names of the labels and annotations that the kubelet puts on sandboxes and containers (upstream: pkg/kubelet/types/labels.go). */
export const POD_NAME_LABEL = 'io.kubernetes.pod.name';
export const POD_NAMESPACE_LABEL = 'io.kubernetes.pod.namespace';
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME_LABEL = 'io.kubernetes.container.name';
/** `INIT` for a container that is to end before the others begin, else `CONTAINER`. */
export const CONTAINER_TYPE_LABEL = 'io.kubernetes.container.type';
/** Of the part of the spec that a running container was made from. */
export const CONTAINER_HASH_ANNOTATION = 'io.kubernetes.container.hash';
/** What a container leaves behind that wrote no last words: nothing, or the end of its log. */
export const TERMINATION_MESSAGE_POLICY_ANNOTATION = 'io.kubernetes.container.terminationMessagePolicy';
/** What the container was given when it was made. */
export const RESOURCES_ANNOTATION = 'coracle.dev/resources';
/** How often the container had been started before. */
export const RESTART_COUNT_ANNOTATION = 'io.kubernetes.container.restartCount';

/** The node whose kubelet has made a sandbox: others of the same runtime are not its own. */
export const NODE_LABEL = 'coracle.dev/node';
