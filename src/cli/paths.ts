import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where a cluster keeps itself unless told otherwise. */
export const defaultDataDir = (): string => join(homedir(), '.coracle', 'data');

/** Where the kubeconfig of the cluster started last stands unless told otherwise. */
export const defaultKubeconfig = (): string => join(homedir(), '.coracle', 'kubeconfig');
