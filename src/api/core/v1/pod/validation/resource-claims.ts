import { at, duplicate, type FieldError, forbidden, invalid, notFound, required } from '../../../../field-error.ts';
import type { PodResourceClaim, ResourceClaim } from '../../../../generated/types/core.v1.ts';
import type { ObjectMeta } from '../../../../generated/types/meta.v1.ts';
import { checkLabelName, checkSubdomain } from '../../../../validation.ts';
import { asInternal } from '../../internal-types.ts';

const MIRROR = 'kubernetes.io/config.mirror';

/** The claims a pod names (upstream: validatePodResourceClaims). */
export function checkPodResourceClaims(claims: readonly PodResourceClaim[] | undefined, metadata: ObjectMeta | undefined, field: string): FieldError[] {
  const names = new Set<string>();
  return (claims ?? []).flatMap((claim, index) => {
    if (metadata?.annotations?.[MIRROR] !== undefined) return [forbidden('', 'static pods do not support resource claims')];
    const path = at(field, index);
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const errors: FieldError[] = [];
    if (!name) errors.push(required(`${path}.name`));
    else if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    else errors.push(...checkLabelName(name, `${path}.name`));
    names.add(name);
    const shown = asInternal('PodResourceClaim', claim);
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined)
      errors.push(invalid(path, shown, 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified'));
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined)
      errors.push(invalid(path, shown, 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'));
    if (resourceClaimName !== undefined) errors.push(...checkSubdomain(resourceClaimName, `${path}.resourceClaimName`));
    if (resourceClaimTemplateName !== undefined) errors.push(...checkSubdomain(resourceClaimTemplateName, `${path}.resourceClaimTemplateName`));
    return errors;
  });
}

/** The claims, or requests of claims, that a container uses; each once (upstream: validateResourceClaimNames). */
export function checkResourceClaimNames(claims: readonly ResourceClaim[] | undefined, known: ReadonlySet<string>, field: string): FieldError[] {
  const seen = new Set<string>();
  return (claims ?? []).flatMap(({ name, request }, index) => {
    const path = at(field, index);
    if (!name) return [required(path)];
    const errors: FieldError[] = [];
    if (seen.has(name)) errors.push(duplicate(path, name));
    else {
      if (request) errors.push(...checkLabelName(request, `${path}.request`));
      const key = request ? `${name}/${request}` : name;
      if (seen.has(key)) errors.push(duplicate(path, key));
      else if (!request) for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(path, name));
      seen.add(key);
    }
    if (!known.has(name)) errors.push(unknownClaim(path, name, known));
    return errors;
  });
}

function unknownClaim(field: string, name: string, known: ReadonlySet<string>): FieldError {
  const fault = notFound(field, name);
  const which = known.size ? `: ${[...known].sort().join(', ')}` : ' which is empty';
  return { ...fault, message: `${fault.message}: must be one of the names in pod.spec.resourceClaims${which}` };
}
