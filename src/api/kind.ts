import type { FieldError } from './field-error.ts';
import type { KubeObject } from './object.ts';
import type { ResourceFacts } from './resource-facts.ts';
import type { StructuralSchema } from './structural-type.ts';

/** A cell of a Table row. */
export type Cell = string | number | boolean | null;

/** A condition of a Table row, e.g. that a pod has come to its end. */
export interface RowCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** Where the scale subresource finds its numbers. */
export interface Scalable<T> {
  specReplicas(object: T): number;
  withSpecReplicas(object: T, replicas: number): T;
  statusReplicas(object: T): number;
  /** The label selector as text, for status.selector. */
  selector(object: T): string;
}

/** How a kind is served that stands in none of the tables of api/facts. */
export interface OwnFacts extends Partial<Pick<ResourceFacts, 'singular' | 'shortNames' | 'categories' | 'verbs' | 'columns'>> {
  /** Plural, lower case. */
  resource: string;
  scope: 'Namespaced' | 'Cluster';
  subresources?: readonly ('status' | 'scale')[];
  schema: StructuralSchema;
}

/** The version in which a kind's objects are kept, where it is another one. Pure, and exact in both directions. */
export interface StoredAs {
  group: string;
  version: string;
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: KubeObject): KubeObject;
}

/** What a client may change through one subresource. */
export interface PartOfObject<T> {
  /** The old object with what the client may change this way; pure. */
  merge(submitted: T, old: T): T;
  /** Everything wrong with the change. metadata is checked by the caller. */
  validateUpdate(object: T, old: T): FieldError[];
}

/**
 * What the API server must know of a kind beyond its schema. Every part is optional: a kind without any is stored and
 * served as it is. Hooks that fill in or drop fields work on a fresh copy and may change it; all others are pure.
 */
export interface KindBehaviour<T extends KubeObject = KubeObject> {
  group: string;
  version: string;
  kind: string;
  /** What the tables of api/facts and the generated schema say of upstream's kinds; a kind of one's own brings it along. */
  served?: OwnFacts;
  /** Fills in what the client left out (upstream: defaults.go of the group). */
  setDefaults?(object: T): void;
  /** Drops what a client may not set at creation, such as status (upstream: strategy.go PrepareForCreate). */
  prepareForCreate?(object: T): void;
  /** Restores what a client may not change by a main-resource update. Status is restored by the caller. */
  prepareForUpdate?(object: T, old: T): void;
  /** Restores what a client may not change through /status. Spec and labels are restored by the caller. */
  prepareForStatusUpdate?(object: T, old: T): void;
  /**
   * Everything wrong with the object, in upstream's order. metadata is checked by the caller.
   *
   * @param old what a changed object was before, where it is held against these rules again.
   */
  validate?(object: T, old?: T): FieldError[];
  /** What is asked of new objects alone. */
  validateNew?(object: T): FieldError[];
  /** Everything wrong with the change; default: what validate finds. metadata is checked by the caller. */
  validateUpdate?(object: T, old: T): FieldError[];
  /**
   * What upstream holds a changed object against, in its order (strategy.go ValidateUpdate): the rules of the whole, as of a
   * new one (metadata and validate), those of a change of metadata, and validateUpdate. Default: metadata, change.
   */
  updateOrder?: readonly ('whole' | 'metadata' | 'change')[];
  validateStatusUpdate?(object: T, old: T): FieldError[];
  /** Parts of the object that are changed through subresources of their own, by the subresource's name. */
  parts?: Readonly<Record<string, PartOfObject<T>>>;
  /** Said with every answer, of a version that is on its way out. */
  deprecation?: string;
  /** Sentences for Warning headers. */
  warnings?(object: T, old: T | undefined): string[];
  /** Faults of what an update leaves as it was: told, whether or not the update is refused for others. */
  tolerated?(object: T, old: T): FieldError[];
  /**
   * How closely the kind itself looks at metadata. Default: as Kubernetes' own kinds do, whose finalizers have standard or
   * qualified names; `general`: as every API does; `none`: it leaves that to the server.
   */
  metadataRules?: 'general' | 'none';
  /** One without a name is given its uid for one. */
  namesItself?: true;
  /** How a name must be formed; default: a DNS subdomain. Returns the faults, worded as upstream. */
  validateName?(name: string, options: { prefix: boolean; object: T }): string[];
  /** The cells of a row, in the order of facts/columns.json. */
  row?(object: T, nowMs: number): Cell[];
  /** Field selectors beyond metadata.name and metadata.namespace. */
  selectableFields?: Record<string, (object: T) => string>;
  /** What clients shall know of a row beyond its cells. */
  rowConditions?(object: T): RowCondition[];
  /** Where upstream keeps the kind under /registry, when that is not its plural name (pkg/registry/*, storage prefixes). */
  storagePrefix?: string;
  storedAs?: StoredAs;
  /** Fields, beside spec, that a write of /status does not set (upstream: GetResetFields of the status strategy). */
  statusResetFields?: readonly (readonly string[])[];
  /** True: 'metadata.generation' counts changes of spec (and of deletion). */
  hasGeneration?: boolean;
  /** What of metadata counts as well (pkg/registry/apps/deployment and discovery/endpointslice, strategy.go). */
  generationCounts?: 'annotations' | 'labels';
  /** Kinds whose status is not a subresource, or that have none, keep status as the client wrote it. */
  hasStatus?: boolean;
  /** An update without a resourceVersion overwrites; false: it is refused. Default true. */
  allowUnconditionalUpdate?: boolean;
  /** A PUT to a name that does not exist creates it. Default false. */
  allowCreateOnUpdate?: boolean;
  /** Propagation when a client does not say: upstream's default garbage-collection policy. Default 'background'. */
  defaultDeletionPropagation?: 'background' | 'orphan';
  /** Seconds between a graceful delete and the removal, for this object and request; undefined: removed at once. */
  deletionGracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
  /** Whether something beside metadata.finalizers holds an object that is being deleted. */
  isHeld?(object: T): boolean;
  /** Adds to an object what its deletion means for its kind; metadata is marked already. */
  markedForDeletion?(object: T): T;
  /** Deletion is answered with the object instead of a Status (upstream: storage.go, ReturnDeletedObject). */
  returnsDeleted?: boolean;
  scale?: Scalable<T>;
  /** How long an object lives, in seconds (Events). */
  ttlSeconds?: number;
}
