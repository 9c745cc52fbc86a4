import type { KubeObject } from '../../api/object.ts';
import type { UserInfo } from '../../api/request.ts';
import type { ApiContext } from '../context.ts';
import type { ServedResource } from '../registry.ts';

export interface AdmissionAttributes {
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  resource: ServedResource;
  subresource: string;
  namespace: string;
  name: string;
  /** The object as it would be stored; a mutating plugin may change it. Absent for a delete. */
  object?: KubeObject;
  /** What stands there now. */
  old?: KubeObject;
  user: UserInfo;
  dryRun: boolean;
}

/**
 * Decides whether a request may change the cluster, and fills in what the cluster's rules want. A plugin is one file; it
 * refuses by throwing a StatusError.
 */
export interface AdmissionPlugin {
  name: string;
  /** Runs before validation, in the chain's order; may change `object`. */
  admit?(attributes: AdmissionAttributes, context: ApiContext): Promise<void> | void;
  /** Runs after validation; changes nothing but its own books. The function returned takes the books back if the write fails. */
  validate?(attributes: AdmissionAttributes, context: ApiContext): Promise<Undo | undefined> | Undo | undefined;
}

export type Undo = () => Promise<void> | void;

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async admit(attributes: AdmissionAttributes, context: ApiContext): Promise<void> {
    for (const plugin of this.#plugins) await plugin.admit?.(attributes, context);
  }

  /** @returns what takes back the plugins' books. */
  async validate(attributes: AdmissionAttributes, context: ApiContext): Promise<Undo> {
    const undos: Undo[] = [];
    const undo = async (): Promise<void> => {
      for (const step of undos.reverse()) await step();
    };
    try {
      for (const plugin of this.#plugins) {
        const step = await plugin.validate?.(attributes, context);
        if (step) undos.push(step);
      }
    } catch (error) {
      await undo();
      throw error;
    }
    return undo;
  }
}
