import { createLogUpdate } from 'log-update';
import type { RolloutState } from './rollout.ts';

const WIDTH = 24;

/** Shows rollouts: on a terminal a bar each, which moves; elsewhere a line for each change. */
export function rolloutDisplay(stream: NodeJS.WriteStream | undefined): { show(states: readonly RolloutState[]): void; end(): void } {
  if (!stream) return { show: () => {}, end: () => {} };
  if (stream.isTTY && stream.columns) {
    const update = createLogUpdate(stream);
    return { show: (states) => update(states.map(bar).join('\n')), end: () => update.done() };
  }
  const last = new Map<string, string>();
  return {
    show(states) {
      for (const state of states) {
        const line = `${state.name}: ${state.ready}/${state.desired} ${state.text}`;
        if (last.get(state.name) === line) continue;
        last.set(state.name, line);
        stream.write(`${line}\n`);
      }
    },
    end: () => {},
  };
}

function bar({ name, ready, desired, text }: RolloutState): string {
  const filled = desired === 0 ? WIDTH : Math.round((WIDTH * Math.min(ready, desired)) / desired);
  return `${name} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${ready}/${desired} ${text}`;
}
