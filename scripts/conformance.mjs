// npm run conformance -- --e2e-test FILE [--specs FILE] [--focus REGEX] [--jobs 3] [--limit SECONDS] [--cri-socket PATH [--node-ip ADDRESS]]
//
// Runs upstream's own conformance specs against a cluster of its own, each in a process of e2e.test, which comes in
// https://dl.k8s.io/v1.34.2/kubernetes-test-linux-amd64.tar.gz. Without --specs: those of test/conformance/passing.txt, all
// of which must pass. With --cri-socket containers are real, and those of test/conformance/passing-with-containers.txt are
// run; the runtime must know where to get upstream's images, and its network must reach the node at the address. Prints a line for each spec, with the first line of why one fails, and ends with `N passed, N failed`.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    'e2e-test': { type: 'string' },
    specs: { type: 'string' },
    'cri-socket': { type: 'string' },
    'node-ip': { type: 'string' },
    focus: { type: 'string', default: '' },
    jobs: { type: 'string', default: '3' },
    limit: { type: 'string', default: '180' },
  },
});
if (!values['e2e-test']) {
  console.error('--e2e-test FILE: the program of upstream that holds the specs; see the head of scripts/conformance.mjs');
  process.exit(2);
}
const program = resolve(values['e2e-test']);
statSync(program);

const work = mkdtempSync(join(tmpdir(), 'conformance-'));
const kubeconfig = join(work, 'kubeconfig');
const socket = values['cri-socket'];
const real = socket ? ['--runtime', 'cri', '--cri-socket', socket, ...(values['node-ip'] ? ['--node-ip', values['node-ip']] : [])] : [];
const list = values.specs ?? join(root, 'test/conformance', socket ? 'passing-with-containers.txt' : 'passing.txt');
const cluster = spawn(process.execPath, [join(root, 'bin/coracle'), 'up', '--ephemeral', '--port', '0', '--quiet', '--kubeconfig', kubeconfig, ...real], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
while (!statSync(kubeconfig, { throwIfNoEntry: false })?.size) {
  if (cluster.exitCode !== null) throw new Error(`the cluster has ended with exit code ${cluster.exitCode}`);
  await sleep(100);
}

/** Why a spec has not passed; undefined where it has. */
async function faultOf(spec, number) {
  const report = join(work, `${number}.json`);
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    '--provider=local',
    `--ginkgo.focus=${spec.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`,
    `--ginkgo.json-report=${report}`,
    `--ginkgo.timeout=${values.limit}s`,
    '--allowed-not-ready-nodes=0',
    '--disable-log-dump',
    '--dump-logs-on-failure=false',
    `--e2e-output-dir=${work}`,
  ];
  // e2e.test fails by its exit code too; the report tells more.
  await promisify(execFile)(program, flags, { cwd: work, maxBuffer: 1e9 }).catch(() => {});
  if (!statSync(report, { throwIfNoEntry: false })) return 'no report';
  const results = JSON.parse(readFileSync(report, 'utf8')).flatMap((suite) => suite.SpecReports ?? []);
  const failed = results.find(({ State }) => !['passed', 'skipped'].includes(State));
  if (failed) return failed.Failure?.Message?.split('\n')[0] ?? failed.State;
  return results.some(({ LeafNodeType, State }) => LeafNodeType === 'It' && State === 'passed') ? undefined : 'there is no spec of this name';
}

const focus = new RegExp(values.focus);
const specs = readFileSync(list, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('[') && focus.test(line));
let passed = 0;
let started = 0;

async function play(queue) {
  for (let spec = queue.shift(); spec; spec = queue.shift()) {
    const fault = await faultOf(spec, started++);
    if (fault === undefined) passed++;
    console.log(fault === undefined ? `ok      ${spec}` : `FAILED  ${spec}\n        ${fault}`);
  }
}

try {
  const beside = specs.filter((spec) => !spec.includes('[Serial]'));
  await Promise.all(Array.from({ length: Number(values.jobs) }, () => play(beside)));
  await play(specs.filter((spec) => spec.includes('[Serial]')));
} finally {
  cluster.kill();
  await once(cluster, 'exit');
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${specs.length - passed} failed`);
process.exitCode = passed === specs.length ? 0 : 1;
