import { age } from '../../duration.ts';
import type { ObjectMeta } from '../../generated/types/meta.v1.ts';
import type { PolicyRule, Subject } from '../../generated/types/rbac.v1.ts';
import type { Cell } from '../../kind.ts';

/** Roles show when they were made. */
export function roleRow({ metadata }: { metadata: ObjectMeta }): Cell[] {
  return [metadata.name ?? '', metadata.creationTimestamp ?? ''];
}

export function bindingRow(binding: { metadata: ObjectMeta; roleRef: { kind: string; name: string }; subjects?: Subject[] }, nowMs: number): Cell[] {
  const { metadata, roleRef, subjects = [] } = binding;
  const names = (kind: string): string =>
    subjects
      .filter((s) => s.kind === kind)
      .map(({ namespace, name }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
      .join(', ');
  return [
    metadata.name ?? '',
    `${roleRef.kind}/${roleRef.name}`,
    age(metadata.creationTimestamp, nowMs),
    names('User'),
    names('Group'),
    names('ServiceAccount'),
  ];
}

/** Rules that are empty are kept as none, as Go's encoding does. */
export function forgetEmptyRules(role: { rules?: PolicyRule[] }): void {
  if (role.rules?.length === 0) Object.assign(role, { rules: null });
}

const RBAC = 'rbac.authorization.k8s.io';

/** A reference's group goes without saying. */
export function setBindingDefaults({ roleRef, subjects }: { roleRef: { apiGroup?: string }; subjects?: Subject[] }): void {
  roleRef.apiGroup ||= RBAC;
  for (const subject of subjects ?? []) if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC;
}
