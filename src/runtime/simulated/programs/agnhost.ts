import { FileError } from '../memory-files.ts';
import type { HttpAnswer, Process, Program } from '../process.ts';
import { permissions } from './busybox.ts';

const NEW_FILE = 'mount-tester new file\n';
const LOOK_AGAIN_MS = 2000;
/** How long `liveness` answers that it is well. */
const WELL_MS = 10_000;

type Options = ReadonlyMap<string, string>;
type MountTest = (process: Process, path: string) => void;

/** `--name=value`, `--name value` and bare `--name`. */
function optionsOf(args: readonly string[]): Options {
  const options = new Map<string, string>();
  for (const [index, arg] of args.entries()) {
    const match = /^--?([^=]+)(?:=(.*))?$/s.exec(arg);
    if (!match) continue;
    const following = args[index + 1];
    options.set(match[1]!, match[2] ?? (following?.startsWith('-') === false ? following : 'true'));
  }
  return options;
}

function entryAt({ files }: Process, path: string) {
  const entry = files.find(path);
  if (!entry) throw new FileError('ENOENT');
  return entry;
}

const show: MountTest = (process, path) => process.stdout(`content of file "${path}": ${process.files.read(path)}\n`);

const create =
  (mode: number): MountTest =>
  (process, path) => {
    process.files.write(path, NEW_FILE, { mode, now: process.now() });
    show(process, path);
  };

function fileSystemOf({ files }: Process, path: string): string {
  const names = path.split('/').filter(Boolean);
  for (let length = names.length; length > 0; length--) {
    const entry = files.find(`/${names.slice(0, length).join('/')}`);
    if (entry?.type === 'directory' && entry.fileSystem !== 'overlay') return entry.fileSystem;
  }
  return 'overlay';
}

/** In the order in which they are made, whatever the order of the options. */
const MOUNT_TESTS: readonly [option: string, test: MountTest][] = [
  ['fs_type', (process, path) => process.stdout(`mount type of "${path}": ${fileSystemOf(process, path)}\n`)],
  ['new_file_0644', create(0o644)],
  ['new_file_0666', create(0o666)],
  ['new_file_0660', create(0o660)],
  ['new_file_0777', create(0o777)],
  [
    'file_mode',
    (process, path) => {
      const { type, mode } = entryAt(process, path);
      process.stdout(`mode of file "${path}": ${type === 'directory' ? 'd' : '-'}${permissions(mode)}\n`);
    },
  ],
  ['file_perm', (process, path) => process.stdout(`perms of file "${path}": -${permissions(entryAt(process, path).mode)}\n`)],
  [
    'file_owner',
    (process, path) => {
      const { uid, gid } = entryAt(process, path);
      process.stdout(`owner UID of "${path}": ${uid}\nowner GID of "${path}": ${gid}\n`);
    },
  ],
  ['file_content', show],
];

/** Tells what it finds in its volumes. */
function* mountTest(process: Process, options: Options): Generator<number, number> {
  let code = 0;
  for (const [name, test] of MOUNT_TESTS) {
    const path = options.get(name);
    if (path === undefined) continue;
    try {
      test(process, path);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.stdout(`error with "${path}": ${error.message.toLowerCase()}\n`);
      code = 1;
    }
  }
  const watched = options.get('file_content_in_loop');
  return watched === undefined ? code : code || (yield* watch(process, watched, options));
}

function* watch(process: Process, path: string, options: Options): Generator<number, number> {
  const end = process.now() + Number(options.get('retry_time') ?? 180) * 1000;
  let code = 0;
  while (process.now() < end) {
    try {
      show(process, path);
      code = 0;
      if (options.get('break_on_expected_content') !== 'false' && process.files.read(path).toString() === NEW_FILE) return 0;
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.stdout(`Error reading file ${path}: open ${path}: ${error.message.toLowerCase()}, retrying\n`);
      code = 1;
    }
    yield LOOK_AGAIN_MS;
  }
  return code;
}

function* forEver(): Generator<number, number> {
  for (;;) yield Number.POSITIVE_INFINITY;
}

function* serve(process: Process, port: number, answer: HttpAnswer): Generator<number, number> {
  process.listen?.(port, answer);
  return yield* forEver();
}

function answerNetexec(process: Process, { pathname, searchParams }: URL): ReturnType<HttpAnswer> {
  switch (pathname) {
    case '/hostname':
    case '/hostName':
      return { body: process.hostname };
    case '/echo':
      process.stderr(
        `${new Date(process.now()).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} GET /echo?msg=${searchParams.get('msg') ?? ''}\n`,
      );
      return { status: Number(searchParams.get('code') ?? 200), body: searchParams.get('msg') ?? '' };
    case '/healthz':
    case '/':
      return { body: pathname === '/' ? `NOW: ${new Date(process.now()).toISOString()}` : '' };
    default:
      return { status: 404, body: '404 page not found\n' };
  }
}

/**
 * The image that upstream's own tests are made of, as far as a container without a network and without a kernel can be it
 * (upstream: test/images/agnhost): pause, mounttest, entrypoint-tester, serve-hostname, netexec, test-webserver, porter.
 */
export const agnhost: Program = function* (process) {
  const [, command = 'pause', ...args] = process.argv;
  const options = optionsOf(args);
  switch (command) {
    case 'pause':
      process.stdout('Paused\n');
      return yield* forEver();
    case 'mounttest':
      return yield* mountTest(process, options);
    case 'entrypoint-tester':
      process.stdout(`[${process.argv.join(' ')}]\n`);
      return 0;
    case 'serve-hostname':
      return yield* serve(process, Number(options.get('port') ?? 9376), () => ({ body: process.hostname }));
    case 'netexec':
      return yield* serve(process, Number(options.get('http-port') ?? 8080), (url) => answerNetexec(process, url));
    case 'liveness': {
      const started = process.now();
      const isWell = (): boolean => process.now() - started < WELL_MS;
      return yield* serve(process, 8080, () => (isWell() ? { body: 'ok' } : { status: 500, body: 'no longer well' }));
    }
    case 'test-webserver':
      return yield* serve(process, Number(options.get('port') ?? 80), (url) => {
        const entry = process.files.find(url.pathname);
        return entry?.type === 'file' ? { body: entry.content.toString() } : { status: 404, body: '404 page not found\n' };
      });
    case 'porter':
      for (const [name, body] of process.env) {
        const port = /^SERVE_PORT_(\d+)$/.exec(name)?.[1];
        if (port) process.listen?.(Number(port), () => ({ body }));
      }
      return yield* forEver();
    default:
      process.stderr(`Error: unknown command "${command}" for "app"\n`);
      return 1;
  }
};
