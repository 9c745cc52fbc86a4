import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ended, eventually } from './processes.ts';

export interface RegistryUser {
  name: string;
  password: string;
  /** The password by bcrypt, the one form that the registry takes. */
  hash: string;
}

export const REGISTRY_USER: RegistryUser = { name: 'u', password: 'p', hash: '$2b$05$3GfkryzEYeTxGgnOGZxmHuHTcEljgaNg8jCogiIl/yVY6f6P1dLsG' };

/** An image to push: a folder that is its root, and how it starts. */
export interface ImageToPush {
  /** `test/web:v1` */
  name: string;
  /** Becomes the only layer. */
  root: string;
  config: { Cmd?: string[]; Entrypoint?: string[]; Env?: string[]; User?: string };
}

/** A Docker registry on loopback, open or for one user. */
export class Registry {
  /** `127.0.0.1:port` */
  readonly address: string;
  readonly #process: ChildProcess;
  readonly #headers: Record<string, string>;

  private constructor(address: string, process: ChildProcess, user: RegistryUser | undefined) {
    this.address = address;
    this.#process = process;
    this.#headers = user ? { authorization: `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}` } : {};
  }

  static async start(directory: string, user?: RegistryUser): Promise<Registry> {
    mkdirSync(directory, { recursive: true });
    const address = `127.0.0.1:${await freePort()}`;
    const passwords = join(directory, 'htpasswd');
    if (user) writeFileSync(passwords, `${user.name}:${user.hash}\n`);
    const config = {
      version: 0.1,
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(directory, 'blobs') } },
      http: { addr: address },
      ...(user ? { auth: { htpasswd: { realm: 'test', path: passwords } } } : {}),
    };
    const file = join(directory, 'registry.json');
    writeFileSync(file, JSON.stringify(config));
    const process = spawn('docker-registry', ['serve', file], { stdio: 'ignore' });
    const registry = new Registry(address, process, user);
    await eventually(async () => (await fetch(`http://${address}/v2/`, { headers: registry.#headers })).ok, 'the registry answers');
    return registry;
  }

  /** Makes an image of a folder and pushes it. */
  async push({ name, root, config }: ImageToPush): Promise<void> {
    const [repository = '', tag = ''] = name.split(':');
    const tar = execFileSync('tar', ['-C', root, '--sort=name', '--mtime=@0', '--numeric-owner', '-cf', '-', '.'], { maxBuffer: 1 << 28 });
    const layer = gzipSync(tar, { level: 1 });
    const image = Buffer.from(
      JSON.stringify({
        architecture: execFileSync('dpkg', ['--print-architecture']).toString().trim(),
        os: 'linux',
        config: { Env: ['PATH=/usr/bin:/bin'], ...config },
        rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
      }),
    );
    await this.#blob(repository, layer);
    await this.#blob(repository, image);
    const described = (mediaType: string, bytes: Buffer): object => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
    const manifest = JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: described('application/vnd.docker.container.image.v1+json', image),
      layers: [described('application/vnd.docker.image.rootfs.diff.tar.gzip', layer)],
    });
    await this.#request('PUT', `/v2/${repository}/manifests/${tag}`, Buffer.from(manifest), MANIFEST);
  }

  async stop(): Promise<void> {
    await ended(this.#process);
  }

  async #blob(repository: string, bytes: Buffer): Promise<void> {
    const begun = await this.#request('POST', `/v2/${repository}/blobs/uploads/`);
    const place = new URL(begun.headers.get('location') ?? '', `http://${this.address}`);
    place.searchParams.set('digest', digestOf(bytes));
    await this.#request('PUT', place.pathname + place.search, bytes);
  }

  async #request(method: string, path: string, body?: Buffer, type = 'application/octet-stream'): Promise<Response> {
    const answer = await fetch(`http://${this.address}${path}`, {
      method,
      headers: { ...this.#headers, 'content-type': type },
      ...(body ? { body: new Uint8Array(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** A root folder below `directory` with BusyBox in it, under all its names, and what else is given, by path. */
export function busyboxRoot(directory: string, files: Readonly<Record<string, string>> = {}): string {
  const root = mkdtempSync(join(directory, 'image-'));
  for (const folder of ['bin', 'etc', 'tmp', 'usr/bin', 'root']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'bin/busybox'), readFileSync('/bin/busybox'), { mode: 0o755 });
  for (const applet of execFileSync('busybox', ['--list']).toString().split('\n'))
    if (applet && applet !== 'busybox') symlinkSync('busybox', join(root, 'bin', applet));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnobody:x:65534:\n');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content, { mode: 0o755 });
  }
  return root;
}
