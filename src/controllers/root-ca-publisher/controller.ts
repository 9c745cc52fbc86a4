import type { ConfigMap, Namespace } from '../../api/generated/types/core.v1.ts';
import { ConfigMaps, Namespaces } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

const NAME = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';
const DESCRIPTION_TEXT =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or ' +
  'kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

export interface RootCaSnapshot {
  namespace: Namespace;
  configMap: ConfigMap | undefined;
  certificateAuthority: string;
}

/**
 * Keeps the certificate authority of the API server in every namespace, for pods. Upstream:
 * pkg/controller/certificates/rootcacertpublisher.
 * @param certificateAuthority PEM.
 */
export function rootCaPublisher(informers: InformerFactory, certificateAuthority: string): Controller<RootCaSnapshot> {
  const namespaces = informers.lister(Namespaces);
  const configMaps = informers.lister(ConfigMaps);
  return {
    name: 'root-ca-certificate-publisher-controller',
    watches: [
      watchRule(Namespaces, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name!])),
      watchRule(ConfigMaps, ({ type, object }) => (type !== 'added' && object.metadata.name === NAME ? [object.metadata.namespace!] : [])),
    ],
    observe: async (key) => {
      const namespace = namespaces.get('', key);
      return namespace && { namespace, configMap: configMaps.get(key, NAME), certificateAuthority };
    },
    plan: planRootCa,
  };
}

export function planRootCa({ namespace, configMap, certificateAuthority }: RootCaSnapshot): Plan {
  if (namespace.status.phase !== 'Active') return NOTHING_TO_DO;
  const data = { 'ca.crt': certificateAuthority };
  const annotations = { [DESCRIPTION]: DESCRIPTION_TEXT };
  if (!configMap) {
    const object = { metadata: { name: NAME, namespace: namespace.metadata.name, annotations }, data };
    return { actions: [{ type: 'create', resource: ConfigMaps, object, ifExists: 'get', ignoreTerminatingNamespace: true }] };
  }
  const sameData = configMap.data?.['ca.crt'] === certificateAuthority && Object.keys(configMap.data).length === 1;
  if (sameData && configMap.metadata.annotations?.[DESCRIPTION] !== undefined) return NOTHING_TO_DO;
  const metadata = { ...configMap.metadata, annotations: { ...configMap.metadata.annotations, ...annotations } };
  const object: ConfigMap = { ...configMap, metadata, data };
  return { actions: [{ type: 'update', resource: ConfigMaps, object }] };
}
