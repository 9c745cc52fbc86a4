import type { Verb } from './request.ts';

/** One served resource, as facts/discovery.json and facts/columns.json tell it. */
export interface ResourceFacts {
  group: string;
  version: string;
  resource: string;
  kind: string;
  scope: 'Namespaced' | 'Cluster';
  singular: string;
  shortNames?: string[];
  categories?: string[];
  verbs: Verb[];
  subresources?: { name: string; group: string; version: string; kind: string; verbs: Verb[] }[];
  /** The id of the kind's type in the generated schema. */
  schema?: string;
  columns?: Column[];
}

/** A column of a Table; described by words, or by a field of the API that it shows (`<type id>.<field>`). */
export type Column = [name: string, type: string, format: string | null, priority: number | null, description?: string | { of: string }];
