import { at, type FieldError, invalid } from '../../field-error.ts';
import type { CustomResourceDefinitionNames } from '../../generated/types/apiextensions.v1.ts';
import { dns1035LabelFaults } from '../../names.ts';

function checkLabel(value: string, field: string): FieldError[] {
  const faults = dns1035LabelFaults(value);
  return faults.length ? [invalid(field, value, faults.join(','))] : [];
}

function checkKind(kind: string, field: string): FieldError[] {
  const faults = dns1035LabelFaults(kind.toLowerCase());
  return faults.length ? [invalid(field, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)] : [];
}

/** Upstream: ValidateCustomResourceDefinitionNames: how names are formed where there are any. */
export function checkNames(names: CustomResourceDefinitionNames, field: string): FieldError[] {
  const { plural, singular, kind, listKind, shortNames = [], categories = [] } = names;
  return [
    ...(plural ? checkLabel(plural, `${field}.plural`) : []),
    ...(singular ? checkLabel(singular, `${field}.singular`) : []),
    ...(kind ? checkKind(kind, `${field}.kind`) : []),
    ...(listKind ? checkKind(listKind, `${field}.listKind`) : []),
    ...shortNames.flatMap((name, index) => checkLabel(name, at(`${field}.shortNames`, index))),
    ...(kind && kind === listKind ? [invalid(`${field}.listKind`, listKind, 'kind and listKind may not be the same')] : []),
    ...categories.flatMap((category, index) => checkLabel(category, at(`${field}.categories`, index))),
  ];
}
