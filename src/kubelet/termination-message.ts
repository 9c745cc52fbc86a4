import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import type { ContainerStatus, Mount, Runtime } from '../runtime/runtime.ts';
import type { NodePaths } from './config/node-paths.ts';
import { POD_UID_LABEL, TERMINATION_MESSAGE_POLICY_ANNOTATION } from './labels.ts';

/** How much of a message is told (upstream: kubecontainer MaxContainerTerminationMessageLength and its fellows). */
const MAX_BYTES = 4096;
const MAX_LOG_LINES = 80;
const MAX_LOG_BYTES = 2048;

/** What the messages are kept with. */
export interface MessageFiles {
  runtime: Runtime;
  paths: NodePaths;
}

const fileOf = (paths: NodePaths, uid: string, container: string, attempt: number): string => `${paths.container(uid, container)}/${attempt}`;

/** Makes the file that a run of a container may leave its last words in. */
export async function terminationMount({ runtime, paths }: MessageFiles, { metadata }: Pod, container: Container, attempt: number): Promise<Mount> {
  const hostPath = fileOf(paths, metadata.uid ?? '', container.name, attempt);
  await runtime.files.writeFile(hostPath, { content: new Uint8Array(), mode: 0o666 });
  return { containerPath: container.terminationMessagePath ?? '/dev/termination-log', hostPath, readOnly: false };
}

/** The last words of a run that has exited: what it wrote into its file, or what it logged last, where it asked for that and failed. */
export async function terminationMessage({ runtime, paths }: MessageFiles, run: ContainerStatus): Promise<string> {
  const { files, runtimeService } = runtime;
  const { name, attempt } = run.metadata;
  const content = (await files.readFile(fileOf(paths, run.labels[POD_UID_LABEL] ?? '', name, attempt))) ?? new Uint8Array();
  if (content.length > 0) return Buffer.from(content.subarray(-MAX_BYTES)).toString();
  if (run.annotations[TERMINATION_MESSAGE_POLICY_ANNOTATION] !== 'FallbackToLogsOnError' || run.exitCode === 0) return '';
  let text = '';
  for await (const line of runtimeService.logs(run.id, { tailLines: MAX_LOG_LINES })) text += line.text;
  return Buffer.from(text).subarray(-MAX_LOG_BYTES).toString();
}
