import type { Namespace } from '../../api/generated/types/core.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import type { ApiContext } from '../context.ts';
import { decodeBody, writeOptions } from '../operation.ts';
import type { ServedResource } from '../registry.ts';
import { modify } from '../verbs/update.ts';

/** Writes a namespace's spec.finalizers; the last one gone, the namespace goes (pkg/registry/core/namespace: FinalizeREST). */
export async function finalize(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions('UpdateOptions', request);
  const warnings: string[] = [];
  const body = decodeBody(request, { ...resource, kind: 'Namespace' }, options.fieldValidation, warnings) as Namespace;
  const merge = (submitted: KubeObject, current: KubeObject): KubeObject => {
    const { finalizers } = (submitted as Namespace).spec;
    return {
      ...current,
      metadata: { ...current.metadata, ...(submitted.metadata.resourceVersion ? { resourceVersion: submitted.metadata.resourceVersion } : {}) },
      spec: { ...(finalizers ? { finalizers } : {}) },
    } as KubeObject;
  };
  return { code: 200, object: await modify(context, resource, request, options, warnings, () => body, { merge, validate: () => [] }), warnings };
}
