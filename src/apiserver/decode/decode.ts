import type { Struct } from '../../api/type.ts';

export interface Decoded {
  object: Record<string, unknown>;
  /** Paths of fields that the type does not have, e.g. `spec.template.foo`. */
  unknownFields: string[];
}

/**
 * Makes an object of a type from parsed JSON, or from a map that a patch has made: Go's way for the built-in types, a
 * structural schema's for custom resources.
 */
export type Decode = (type: Struct, input: unknown, form?: 'json' | 'map') => Decoded;

/** The message of a value that does not fit its field. */
export class DecodeError extends Error {}

/** Where a decoder is; text is made of it only when somebody must be told. */
export class Path {
  readonly #elements: (string | number | { key: string })[] = [];

  /** Enters a field, or an element of a list. */
  push(element: string | number): void {
    this.#elements.push(element);
  }

  /** Enters a value of a map. */
  pushKey(key: string): void {
    this.#elements.push({ key });
  }

  pop(): void {
    this.#elements.pop();
  }

  /** `spec.containers[0].resources.limits.cpu` */
  show(): string {
    return this.#elements
      .map((element) => (typeof element === 'number' ? `[${element}]` : `.${typeof element === 'string' ? element : element.key}`))
      .join('')
      .replace(/^\./, '');
  }

  /** Fields alone, as Go's messages have it: `spec.containers.resources.limits`. */
  fieldsOnly(): string {
    return this.#elements.filter((element) => typeof element === 'string').join('.');
  }
}
