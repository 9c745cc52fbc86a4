import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import type { ContainerConfig, ContainerStatus, Runtime } from '../runtime/runtime.ts';
import { POD_UID_LABEL, TERMINATION_MESSAGE_POLICY_ANNOTATION } from './labels.ts';
import { containerDirectory } from './volumes/volumes.ts';

/** How much of a message is told (upstream: kubecontainer MaxContainerTerminationMessageLength and its fellows). */
const MAX_BYTES = 4096;
const MAX_LOG_LINES = 80;
const MAX_LOG_BYTES = 2048;

const fileOf = (uid: string, container: string, attempt: number): string => `${containerDirectory(uid, container)}/${attempt}`;

/** Makes the file that a run of a container may leave its last words in. */
export async function terminationMount(
  { files }: Runtime,
  { metadata }: Pod,
  container: Container,
  attempt: number,
): Promise<ContainerConfig['mounts'][number]> {
  const hostPath = fileOf(metadata.uid ?? '', container.name, attempt);
  await files.writeFile(hostPath, { content: new Uint8Array(), mode: 0o666 });
  return { containerPath: container.terminationMessagePath ?? '/dev/termination-log', hostPath, readOnly: false };
}

/** The last words of a run that has exited: what it wrote into its file, or what it logged last, where it asked for that and failed. */
export async function terminationMessage({ files, runtimeService }: Runtime, run: ContainerStatus): Promise<string> {
  const { name, attempt } = run.metadata;
  const content = (await files.readFile(fileOf(run.labels[POD_UID_LABEL] ?? '', name, attempt))) ?? new Uint8Array();
  if (content.length > 0) return Buffer.from(content.subarray(0, MAX_BYTES)).toString();
  if (run.annotations[TERMINATION_MESSAGE_POLICY_ANNOTATION] !== 'FallbackToLogsOnError' || run.exitCode === 0) return '';
  let text = '';
  for await (const line of runtimeService.logs(run.id, { tailLines: MAX_LOG_LINES })) text += line.text;
  return Buffer.from(text).subarray(-MAX_LOG_BYTES).toString();
}
