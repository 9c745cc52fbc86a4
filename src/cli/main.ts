import { Command, InvalidArgumentError, Option } from 'commander';
import { report } from './errors.ts';

/** A duration as Go writes it: `90s`, `1m30s`, `500ms`; a bare number counts seconds. */
function duration(text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) throw new InvalidArgumentError('expected a duration such as 60s or 1m30s');
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce((sum, [, amount, unit]) => sum + Number(amount) * units[unit!]!, 0);
}

function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}`);
    return value;
  };
}

const collect = (value: string, before: string[]): string[] => [...before, value];

const program = new Command('coracle')
  .description('Kubernetes Deployments end to end in one process.')
  .version('0.1.0')
  .showHelpAfterError('(coracle --help shows the commands and their options)')
  .enablePositionalOptions();

program
  .command('up')
  .description('boot a cluster and serve its API until Ctrl-C')
  .option('-f, --filename <path>', 'apply this file, folder, or - for standard input, and show the rollout; repeatable', collect, [])
  .option('--exit', 'end when the rollout ends: 0 if it is complete, 1 if it is not')
  .addOption(new Option('--timeout <duration>', 'how long a rollout may take').argParser(duration).default(60_000, '60s'))
  .option('--nodes <count>', 'nodes to simulate (default: 3, or none beside a real one)', whole(0, 5000))
  .option('--port <port>', 'port of the API server; 0 picks a free one', whole(0, 65_535), 6443)
  .addOption(new Option('--data-dir <dir>', 'where objects and certificates are kept (default: ~/.coracle/data)').conflicts('ephemeral'))
  .option('--ephemeral', 'keep everything in memory, and nothing after the end')
  .option('--kubeconfig <file>', 'where to write the kubeconfig (default: ~/.coracle/kubeconfig)')
  .addOption(
    new Option('--runtime <name>', 'container runtime of the nodes; auto: a real one where one answers, else simulated')
      .choices(['auto', 'simulated', 'cri'])
      .default('simulated'),
  )
  .option('--cri-socket <path>', 'socket of the container runtime (default: where containerd and CRI-O have theirs)')
  .option('--node-name <name>', 'name of the node with the real runtime (default: that of the machine)')
  .option('--node-ip <address>', 'its address (default: the first that the machine has)')
  .option('--cluster-dns <address>', 'server that knows the names of services, for real pods; repeatable', collect, [])
  .option('--simulate <file>', 'rules for the simulated containers, by image')
  .addOption(
    new Option('--relist <duration>', 'how often kubelets look at their containers, as a real one does every second; 0: they are told at once')
      .argParser(duration)
      .default(1000, '1s'),
  )
  .option('--seed <number>', 'draw names and jitter from this seed', whole(0, 4_294_967_295))
  .option('--fix-scale-hang', 'finish a scale during a rollout with maxSurge 0, which upstream leaves hanging (issue 102551)')
  .addOption(new Option('--authorization-mode <mode>', 'by what it is decided what users may do').choices(['RBAC', 'AlwaysAllow']).default('RBAC'))
  .option('--token-auth-file <file>', 'bearer tokens by which users may come: token,user,uid,"groups", a line each')
  .option('--quiet', 'print nothing but errors')
  .action(async (options) => {
    const { up } = await import('./up.ts');
    process.exitCode = await up(options);
  });

program
  .command('kubelet')
  .description('run the kubelet of one node, against an API server that is there already')
  .requiredOption('--kubeconfig <file>', 'how to reach the API server, and who to be there')
  .requiredOption('--node-name <name>', 'name of the node')
  .addOption(
    new Option('--runtime <name>', 'container runtime; auto: a real one where one answers, else simulated')
      .choices(['auto', 'simulated', 'cri'])
      .default('auto'),
  )
  .option('--cri-socket <path>', 'socket of the container runtime (default: where containerd and CRI-O have theirs)')
  .option('--node-ip <address>', 'address of the node (default: the first that the machine has)')
  .option('--cluster-dns <address>', 'server that knows the names of services; repeatable', collect, [])
  .option('--root-dir <dir>', 'where pods have their files (default: a folder for temporary files)')
  .option('--port <port>', 'port of its own https server; 0 picks a free one', whole(0, 65_535), 10_250)
  .option('--open-access', 'let everybody ask its https server everything (default: who may is asked of the API server)')
  .addOption(new Option('--relist <duration>', 'how often it looks at its containers').argParser(duration).default(1000, '1s'))
  .action(async (options) => {
    const { kubelet } = await import('./kubelet.ts');
    process.exitCode = await kubelet(options);
  });

program
  .command('kubectl')
  .description('run kubectl against the running cluster')
  .argument('[args...]')
  .allowUnknownOption()
  .passThroughOptions()
  .helpOption(false)
  .action(async (args: string[]) => {
    const { kubectl } = await import('./kubectl.ts');
    process.exitCode = await kubectl(args);
  });

program
  .command('sim')
  .description('play whole clusters on virtual time, with faults, and check that the rules of Deployments hold')
  .option('--seeds <count>', 'how many seeds to play', whole(1, 100_000_000), 100)
  .option('--from <seed>', 'the first of them', whole(0, 4_294_967_295), 1)
  .option('--seed <number>', 'play this one alone', whole(0, 4_294_967_295))
  .option('--bug <name>', 'plant a mistake in the controllers, to see it found')
  .option('--journal', 'keep the store in a journal that is slow, fails and is cut off')
  .option('--jobs <count>', 'how many to play side by side (default: as many as there are processors)', whole(1, 256))
  .option('--shrink', 'look for the fewest steps and faults that a failure takes')
  .option('--log', 'print all that happens, with --seed')
  .action(async (options) => {
    const { sim } = await import('./sim.ts');
    process.exitCode = await sim(options);
  });

process.on('uncaughtException', (error) => {
  // A reader that has gone (`coracle … | head`) is no fault of ours.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
