import { at, duplicate, type FieldError, required } from '../../field-error.ts';

/** Each condition has a type, and no type comes twice (upstream: pkg/apis/flowcontrol/validation). */
export function checkConditions(conditions: readonly { type?: string }[] | undefined): FieldError[] {
  const types = (conditions ?? []).map(({ type = '' }) => type);
  return types.flatMap((type, index) => {
    const field = `${at('status.conditions', index)}.type`;
    return [...(types.indexOf(type) < index ? [duplicate(field, type)] : []), ...(type ? [] : [required(field)])];
  });
}
