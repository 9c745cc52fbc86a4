import type { KubeObject } from '../../../api/object.ts';
import type { ServedResource } from '../../served-resource.ts';
import type { AdmissionAttributes } from '../admission.ts';

type Json = Record<string, unknown>;

/** What is asked about a request (admission.k8s.io/v1 AdmissionRequest), without the objects. */
export interface AdmissionRequest extends Json {
  name?: string;
  namespace?: string;
  operation: string;
}

/** @param form the resource in the version in which the request is told. */
export function admissionRequest(attributes: AdmissionAttributes, form: ServedResource): AdmissionRequest {
  const { resource, subresource, namespace, operation, user, dryRun, options } = attributes;
  const name = nameOf(attributes);
  return {
    kind: kindOf(form, subresource),
    resource: resourceOf(form),
    ...(subresource ? { subResource: subresource } : {}),
    requestKind: kindOf(resource, subresource),
    requestResource: resourceOf(resource),
    ...(subresource ? { requestSubResource: subresource } : {}),
    ...(name ? { name } : {}),
    ...(namespace ? { namespace } : isNamespace(resource) && name ? { namespace: name } : {}),
    operation,
    userInfo: { username: user.name, ...(user.uid ? { uid: user.uid } : {}), groups: user.groups, ...(user.extra ? { extra: user.extra } : {}) },
    dryRun,
    options,
  };
}

/** A name that is yet to be generated is none. */
const nameOf = ({ object, name, operation }: AdmissionAttributes): string => (operation === 'CREATE' && !object?.metadata.name ? '' : name);

const isNamespace = ({ facts }: ServedResource): boolean => facts.group === '' && facts.resource === 'namespaces';
const resourceOf = ({ facts: { group, version, resource } }: ServedResource): Json => ({ group, version, resource });

function kindOf({ facts, subresources }: ServedResource, subresource: string): Json {
  const part = subresources.get(subresource)?.facts;
  const { group, version } = part?.version ? part : facts;
  return { group, version, kind: part?.kind ?? facts.kind };
}

/** The objects of a request as those see them who are asked about it. */
export function shownObjects(
  { object, old, resource, view }: AdmissionAttributes,
  form: ServedResource,
): { object: KubeObject | null; oldObject: KubeObject | null } {
  const shown = (one: KubeObject | undefined): KubeObject | null => (one ? (view ? view.of(one) : inForm(one, resource, form)) : null);
  return { object: shown(object), oldObject: shown(old) };
}

/** The same object in another version of its kind. */
export function inForm(object: KubeObject, from: ServedResource, form: ServedResource): KubeObject {
  if (from === form) return object;
  const stored = from.behaviour.storedAs?.toStorage(object) ?? object;
  return { ...(form.behaviour.storedAs?.fromStorage(stored) ?? stored), apiVersion: form.apiVersion, kind: form.facts.kind };
}
