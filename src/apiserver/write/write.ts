import type { FieldError } from '../../api/field-error.ts';
import type { ManagedFieldsEntry } from '../../api/generated/types/meta.v1.ts';
import type { PartOfObject } from '../../api/kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, UserInfo } from '../../api/request.ts';
import { StatusError } from '../../api/status.ts';
import type { ObjectView } from '../admission/admission.ts';
import type { ServedResource } from '../served-resource.ts';
import type { WriteOptions } from './options.ts';

/** What a write is aimed at, and by whom. */
export interface Target {
  resource: ServedResource;
  /** Empty for a resource without namespaces. */
  namespace: string;
  name: string;
  /** Empty for the object itself. */
  subresource: string;
  user: UserInfo;
}

export interface WriteTarget extends Target {
  /** How the subresource shows the object in admission. */
  view?: ObjectView;
  options: WriteOptions;
}

/**
 * A write on its way through the steps of this folder: decode → default → own → admit → prepare → validate → store. Each
 * step returns the next value; `object` belongs to the write alone until it is stored.
 */
export interface Write extends WriteTarget {
  operation: 'CREATE' | 'UPDATE';
  object: KubeObject;
  /** What stands there now; undefined for a create. */
  old: KubeObject | undefined;
  /** Sentences for Warning headers; they become more on the way. */
  readonly warnings: string[];
  /** Who owns which field, where a server-side apply has worked it out already. */
  managedFields?: ManagedFieldsEntry[];
}

/** What a client wants an object to be. */
export interface Submitted {
  object: KubeObject;
  warnings?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Does something, and gives an error what the client is to be warned of in any case. */
export async function warning<T>(warnings: readonly string[] | undefined, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof StatusError) error.warnings.unshift(...(warnings ?? []));
    throw error;
  }
}

export interface Written {
  object: KubeObject;
  warnings: readonly string[];
}

/** How a subresource takes part of what is submitted: what it merges into the stored object, and its own validation. */
export interface Part extends Pick<PartOfObject<KubeObject>, 'merge'> {
  /** Undefined: that of the object itself. */
  validateUpdate?: (object: KubeObject, old: KubeObject) => FieldError[];
}

export function targetOfRequest(resource: ServedResource, { namespace = '', name = '', subresource = '', user }: ApiRequest): Target {
  return { resource, namespace, name, subresource, user };
}
