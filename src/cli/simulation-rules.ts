import { LineCounter, parseDocument } from 'yaml';
import type { ImageRule } from '../runtime/simulated/behaviour.ts';
import { CliError } from './errors.ts';

/** Reads the file of `--simulate` (docs/simulated-runtime.md). @throws CliError with line and column, or the rule that is wrong. */
export function readRules(text: string, source: string): ImageRule[] {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new CliError(`${source}:${line}:${col}: ${error.message}`);
  }
  const rules: unknown = document.toJS() ?? [];
  if (!Array.isArray(rules)) throw new CliError(`${source}: expected a list of rules, each with image and settings`);
  return rules.map((rule, i) => readRule(rule, `${source}: rule ${i + 1}`));
}

function readRule(rule: unknown, where: string): ImageRule {
  const { image, settings } = (rule ?? {}) as { image?: unknown; settings?: unknown };
  if (typeof image !== 'string') throw new CliError(`${where}: image must be a pattern such as "registry.example.com/web:*"`);
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) throw new CliError(`${where}: settings must be a map such as { exit-code: "1" }`);
  return { image, settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)])) };
}
