import { play, type SimulationOptions, type SimulationResult } from './simulation.ts';

/**
 * Leaves out faults and steps, as many at a time as it can, as long as the same rule is broken: what stays is what it takes.
 * @param attempts runs at most.
 */
export async function shrink(failed: SimulationResult, options: SimulationOptions, attempts = 60): Promise<SimulationResult> {
  let best = failed;
  let left = attempts;
  for (const part of ['faults', 'steps'] as const) {
    for (let size = Math.ceil(best.scenario[part].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at < best.scenario[part].length && left > 0; left--) {
        const scenario = { ...best.scenario, [part]: best.scenario[part].toSpliced(at, size) };
        const result = await play(scenario, options);
        if (result.violation?.rule === failed.violation?.rule) best = result;
        else at += size;
      }
    }
  }
  return best;
}
