import { expect, test } from 'vitest';
import { MemoryFiles } from '../memory-files.ts';
import { type CommandOutcome, instantly, runAtOnce } from '../process.ts';
import { programsWith } from './programs.ts';

const notFound = instantly(({ argv, stderr }) => {
  stderr(`sh: ${argv[0]}: not found\n`);
  return 127;
});

function run(argv: readonly string[], files = new MemoryFiles()): CommandOutcome {
  files.makeDirectory('/tmp', { parents: true });
  files.makeDirectory('/etc', { parents: true });
  files.write('/etc/hostname', 'p\n');
  const programs = programsWith(notFound);
  const program = programs.find(argv[0]!) ?? programs.otherwise;
  return runAtOnce(program, { argv, env: new Map([['A', 'b c']]), directory: '/', files, hostname: 'p', stdin: '', now: () => 0 });
}

test.each<[string[], Partial<CommandOutcome>]>([
  [['echo', 'a', 'b'], { stdout: 'a b\n', exitCode: 0 }],
  [['/bin/cat', '/etc/hostname'], { stdout: 'p\n', exitCode: 0 }],
  [['cat', '/nope'], { stderr: "cat: can't open '/nope': No such file or directory\n", exitCode: 1 }],
  [['sleep', '2m'], { exitCode: 0, durationMs: 120_000 }],
  [['sleep', 'infinity'], { durationMs: Number.POSITIVE_INFINITY }],
  [['nginx', '-g', 'daemon off;'], { exitCode: 127 }],
])('%j', (argv, outcome) => {
  expect(run(argv)).toMatchObject(outcome);
});

test.each<[script: string, Partial<CommandOutcome>]>([
  ['echo $A; sleep 5; exit 3', { stdout: 'b c\n', exitCode: 3, durationMs: 5000 }],
  ['false && echo no || echo yes', { stdout: 'yes\n', exitCode: 0 }],
  ['! false && echo "quoted  $A"', { stdout: 'quoted  b c\n' }],
  [`echo '$A' \\$A "\\$A"`, { stdout: '$A $A $A\n' }],
  ['for i in 1 2 3; do echo -n "$i,"; done; echo', { stdout: '1,2,3,\n' }],
  ['i=0; while [ $i -lt 3 ]; do i=$((i + 1)); sleep 1; done; echo $i', { stdout: '3\n', durationMs: 3000 }],
  ['until false; do echo x; break; done', { stdout: 'x\n', exitCode: 0 }],
  ['if test -f /etc/hostname; then echo there; elif true; then echo no; else echo never; fi', { stdout: 'there\n' }],
  ['if false; then echo no; fi', { stdout: '', exitCode: 0 }],
  ['echo one > /tmp/f; echo two >> /tmp/f; cat /tmp/f | grep -c o; wc -l < /tmp/f', { stdout: '2\n2\n' }],
  ['echo "$(hostname) `echo in`"', { stdout: 'p in\n' }],
  [`echo \${B:-none} \${A}`, { stdout: 'none b c\n' }],
  ['cat /nope 2>/dev/null; echo $?', { stdout: '1\n', stderr: '' }],
  ['echo to >&2', { stdout: '', stderr: 'to\n' }],
  ['cat /nope 2>&1 | wc -l', { stdout: '1\n', stderr: '' }],
  ['B=1; export C=2; env | grep -c "^[BC]="', { stdout: '1\n' }],
  ['D=x env | grep D', { stdout: 'D=x\n' }],
  ['(cd /tmp; pwd); pwd', { stdout: '/tmp\n/tmp\n' }],
  ['trap "exit 0" TERM; while true; do sleep 1; done', { durationMs: Number.POSITIVE_INFINITY }],
  ['while true; do :; done', { durationMs: Number.POSITIVE_INFINITY }],
  ['mkdir -p /tmp/a/b; touch /tmp/a/x /tmp/a/y; echo /tmp/a/*; ls /tmp/a', { stdout: '/tmp/a/b /tmp/a/x /tmp/a/y\nb\nx\ny\n' }],
  ['rm /nope || echo "$?"', { stdout: '1\n' }],
  ["printf '%s-%s\\n' a b", { stdout: 'a-b\n' }],
  ['nope; echo $?', { stdout: '127\n', stderr: 'sh: nope: not found\n' }],
  ['exec echo last; echo never', { stdout: 'last\n' }],
  ["f=/tmp/n; count=$(echo hello >> $f ; wc -l $f | awk {'print $1'}); echo $count }", { stdout: '1 }\n' }],
  ['echo a # a comment', { stdout: 'a\n' }],
  ['{ echo a; echo b; } > /tmp/g; cat /tmp/g', { stdout: 'a\nb\n' }],
  ['echo $((2 * (3 + 4) % 5)) $((1 < 2))', { stdout: '4 1\n' }],
])('sh -c %j', (script, outcome) => {
  expect(run(['sh', '-c', script])).toMatchObject(outcome);
});

test.each(['f() { echo; }', 'case x in x) ;; esac', 'sleep 1 &', 'echo "open', 'cat <<EOF'])(
  'a script that is not understood is not half played: %j',
  (script) => {
    expect(run(['sh', '-c', `echo before; ${script}`])).toMatchObject({ stdout: '', exitCode: 127 });
  },
);

test('arguments of a script, and a script in a file', () => {
  expect(run(['sh', '-c', 'echo $0 $1 $#', 'name', 'one'])).toMatchObject({ stdout: 'name one 1\n' });
  const files = new MemoryFiles();
  files.write('/run.sh', 'echo $1');
  expect(run(['sh', '/run.sh', 'x'], files)).toMatchObject({ stdout: 'x\n' });
  expect(run(['sh', '/gone.sh'])).toMatchObject({ exitCode: 2 });
});

test('bytes that are no text are told by hexdump', () => {
  const files = new MemoryFiles();
  files.write('/f', Uint8Array.from([0xde, 0xca, 0xfe, 0x41]));
  expect(run(['hexdump', '-C', '/f'], files).stdout).toBe('00000000  de ca fe 41                                       |...A|\n00000004\n');
});

test('nothing is written to a directory that is mounted read-only', () => {
  const files = new MemoryFiles();
  files.mount('/data', { ...new MemoryFiles().root, readOnly: true });
  expect(run(['sh', '-c', 'echo x > /data/f'], files)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Read-only file system') });
  expect(run(['touch', '/data/f'], files)).toMatchObject({ exitCode: 1 });
});

test('mounttest tells what upstream’s tests look for', () => {
  const files = new MemoryFiles();
  const volume = files.makeDirectory('/vol', { mode: 0o777 });
  volume.fileSystem = 'tmpfs';
  const { stdout, exitCode } = run(['/agnhost', 'mounttest', '--fs_type=/vol', '--new_file_0644=/vol/f', '--file_mode=/vol', '--file_perm=/vol/f'], files);
  expect(stdout.split('\n')).toEqual([
    'mount type of "/vol": tmpfs',
    'content of file "/vol/f": mount-tester new file',
    '',
    'mode of file "/vol": drwxrwxrwx',
    'perms of file "/vol/f": -rw-r--r--',
    '',
  ]);
  expect(exitCode).toBe(0);
});
