import { LogStore, type StoreOptions } from '../log-store.ts';

/** A store that is gone with the process. */
export class MemoryStore extends LogStore {
  constructor(options: StoreOptions = {}) {
    super(options);
  }
}
