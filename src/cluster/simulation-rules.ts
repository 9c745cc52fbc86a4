import { LineCounter, parseDocument } from 'yaml';
import { type ImageRule, parseRules } from '../runtime/simulated/behaviour.ts';
import { ManifestError } from './apply-manifests.ts';

export type { ImageRule };

/**
 * Reads the rules of `--simulate` (docs/simulated-runtime.md).
 *
 * @param source names the text in messages.
 * @throws ManifestError with line and column, or with the rule that is wrong.
 */
export function readSimulationRules(text: string, source: string): ImageRule[] {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new ManifestError(`${source}:${line}:${col}: ${error.message}`);
  }
  try {
    return parseRules(document.toJS() ?? []);
  } catch (failure) {
    throw new ManifestError(`${source}: ${(failure as Error).message}`);
  }
}
