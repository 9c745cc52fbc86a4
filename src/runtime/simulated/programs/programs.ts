import type { Program, Programs } from '../process.ts';
import { shell } from '../shell/shell.ts';
import { agnhost } from './agnhost.ts';
import { busybox } from './busybox.ts';

const SHELLS = ['sh', 'bash', 'ash'];

/** All programs that simulated containers know. */
export function programsWith(otherwise: Program): Programs {
  const programs: Programs = {
    otherwise,
    find(path) {
      const name = path.replace(/^\/(?:(?:usr\/)?(?:local\/)?s?bin\/)?/, '');
      if (SHELLS.includes(name)) return shell(programs);
      return /^agnhost(-2)?$/.test(name) ? agnhost : busybox(name);
    },
  };
  return programs;
}

/** What an image starts where the container names no command: only of the images that are programs here. */
export function entrypointOf(image: string): { entrypoint: readonly string[]; command: readonly string[] } | undefined {
  return /(^|\/)agnhost(?=[:@]|$)/.test(image) ? { entrypoint: ['/agnhost'], command: ['pause'] } : undefined;
}
