/** Where a kubelet keeps what belongs to pods (upstream: pkg/kubelet/kubelet_getters.go). */
export class NodePaths {
  readonly #root: string;
  readonly #logs: string;

  /** @param root of pods' volumes and files @param logs of their logs */
  constructor({ root = '/var/lib/kubelet', logs = '/var/log/pods' }: { root?: string; logs?: string } = {}) {
    this.#root = root;
    this.#logs = logs;
  }

  pod(uid: string): string {
    return `${this.#root}/pods/${uid}`;
  }

  volume(uid: string, volume: string): string {
    return `${this.pod(uid)}/volumes/${volume}`;
  }

  /** What belongs to one container of a pod. */
  container(uid: string, container: string): string {
    return `${this.pod(uid)}/containers/${container}`;
  }

  hostsFile(uid: string): string {
    return `${this.pod(uid)}/etc-hosts`;
  }

  logs({ namespace = '', name = '', uid = '' }: { namespace?: string; name?: string; uid?: string }): string {
    return `${this.#logs}/${namespace}_${name}_${uid}`;
  }
}
