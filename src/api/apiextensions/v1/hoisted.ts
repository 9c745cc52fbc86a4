import { asGiven, markEmptied } from '../../emptied.ts';
import { deepEqual } from '../../equality.ts';
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../../generated/types/apiextensions.v1.ts';

const HOISTED = ['subresources', 'schema', 'additionalPrinterColumns', 'selectableFields'] as const;

/** What all versions have in common, and the versions without it. */
export interface HoistedSpec extends Pick<CustomResourceDefinitionVersion, (typeof HOISTED)[number]> {
  versions: readonly CustomResourceDefinitionVersion[];
}

/**
 * The form in which upstream looks at a definition: what is the same in all versions stands beside them, so that faults are
 * told of `spec.validation` and not of each version (apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go).
 */
export function hoisted({ versions = [] }: CustomResourceDefinitionSpec): HoistedSpec {
  const [first] = versions;
  if (!first) return { versions };
  const common = HOISTED.filter((key) => versions.every((version) => deepEqual(version[key] ?? [], first[key] ?? [])));
  const rest = versions.map((version) => without(version, common));
  return {
    ...Object.fromEntries(common.flatMap((key) => (first[key] === undefined ? [] : [[key, first[key]]]))),
    versions: rest,
  };
}

function without(version: CustomResourceDefinitionVersion, common: readonly (typeof HOISTED)[number][]): CustomResourceDefinitionVersion {
  const rest = Object.fromEntries(Object.entries(version).filter(([key]) => !common.includes(key as never)));
  for (const key of ['additionalPrinterColumns', 'selectableFields'] as const) {
    const given = asGiven(version, key);
    if (given?.length === 0 && !common.includes(key)) markEmptied(rest, key, given);
  }
  return rest as unknown as CustomResourceDefinitionVersion;
}
