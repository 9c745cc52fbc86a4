import { parseDuration } from '../../lib/duration.ts';
import type { Rng } from '../../lib/rng.ts';

/** The prefix of the annotations that tell a simulated container what to do. docs/simulated-runtime.md lists them. */
export const PREFIX = 'sim.coracle.dev/';

/** Settings by the names in docs/simulated-runtime.md, as text. */
export type Settings = Readonly<Record<string, string>>;

/** What all images that match `image` do (`*` stands for anything), unless a pod's annotations say otherwise. */
export interface ImageRule {
  image: string;
  settings: Settings;
}

/** A span of milliseconds, or a range to draw from. */
export interface Span {
  fromMs: number;
  toMs: number;
}

/** Draws from a span, its ends included. */
export function draw({ fromMs, toMs }: Span, rng: Rng): number {
  return toMs > fromMs ? fromMs + rng.integer(toMs - fromMs + 1) : fromMs;
}

/** `3s`, or `1s..3s` for a draw from that range. @throws RangeError */
export function parseSpan(text: string): Span {
  const [from = '', to = from] = text.trim().split('..');
  const span = { fromMs: parseDuration(from), toMs: parseDuration(to) };
  if (span.fromMs < 0) throw new RangeError(`a span of time begins at 0 or later: ${text}`);
  return span;
}

/** `fail,10s:ok`: failing at first, well from ten seconds after the start on. */
export type Course = readonly { fromMs: number; ok: boolean }[];

/** Draws from a span; the least of it where there is nothing to draw with. */
export type Draw = (span: Span) => number;

const least: Draw = ({ fromMs }) => fromMs;

export function parseCourse(text: string, draw: Draw = least): Course {
  return text.split(',').map((part, index) => {
    const [first = '', second] = part.trim().split(':');
    const word = second ?? first;
    if (word !== 'ok' && word !== 'fail') throw new RangeError(`"${part}" is neither ok nor fail, nor one of them after a duration and a colon`);
    if (second === undefined && index > 0) throw new RangeError(`"${part}" lacks the time from which it holds`);
    return { fromMs: second === undefined ? 0 : draw(parseSpan(first)), ok: word === 'ok' };
  });
}

export function courseAt(course: Course, ms: number): boolean {
  return course.findLast((part) => part.fromMs <= ms)?.ok ?? true;
}

/** What one run of one container does. */
export interface Behaviour {
  startTime: Span;
  /** Undefined: it runs until it is stopped. */
  exitAfter: Span | undefined;
  exitCode: number;
  exitReason: string | undefined;
  /** From SIGTERM to the exit; undefined: it is deaf to SIGTERM. */
  stopTime: Span | undefined;
  stopCode: number;
  probes: Readonly<Record<'startup' | 'readiness' | 'liveness', Course>>;
  startError: string | undefined;
  log: string | undefined;
  logEvery: Span | undefined;
  cpu: string | undefined;
  memory: string | undefined;
}

/** What the registry does with an image. */
export interface PullBehaviour {
  pullTime: Span;
  pullError: string | undefined;
  present: boolean;
}

/** Reads the rules of a `--simulate` file. @throws RangeError naming the rule that is not one. */
export function parseRules(value: unknown): ImageRule[] {
  if (!Array.isArray(value)) throw new RangeError('the rules are not a list');
  return value.map((rule: unknown, index) => {
    const { image, settings = {} } = (rule ?? {}) as { image?: unknown; settings?: unknown };
    if (typeof image !== 'string' || typeof settings !== 'object' || settings === null) throw new RangeError(`rule ${index} needs an image and settings`);
    const texts = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, String(setting)]));
    behaviourFrom(texts, 0);
    pullBehaviourFrom(texts);
    return { image, settings: texts };
  });
}

const patternOf = (glob: string): RegExp => new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);

/** The settings of a container: those of its image's first rule, overlaid by the pod's annotations, overlaid by those for it alone. */
export function settingsFor(image: string, container: string | undefined, annotations: Settings, rules: readonly ImageRule[]): Settings {
  const rule = rules.find((candidate) => patternOf(candidate.image).test(image));
  const settings: Record<string, string> = { ...rule?.settings };
  const own: Record<string, string> = {};
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(PREFIX)) continue;
    const name = key.slice(PREFIX.length);
    const dot = name.indexOf('.');
    if (dot < 0) settings[name] = value;
    else if (name.slice(dot + 1) === container) own[name.slice(0, dot)] = value;
  }
  return { ...settings, ...own };
}

const NOW: Span = { fromMs: 0, toMs: 0 };
const ALWAYS_OK: Course = [{ fromMs: 0, ok: true }];

/** The value for this run of a list such as `1,1,0`: the last stands for all that follow. */
function nth(text: string | undefined, attempt: number): string | undefined {
  const parts = text?.split(',').map((part) => part.trim());
  return parts?.[Math.min(attempt, parts.length - 1)];
}

const span = (text: string | undefined): Span | undefined => (text === undefined || text === '' || text === 'never' ? undefined : parseSpan(text));
const course = (text: string | undefined, draw: Draw): Course => (text === undefined ? ALWAYS_OK : parseCourse(text, draw));

/** What one run does: the first has attempt 0. `draw` settles when probes change their minds. @throws RangeError */
export function behaviourFrom(settings: Settings, attempt: number, draw: Draw = least): Behaviour {
  const readyAfter = settings['ready-after'];
  return {
    startTime: span(settings['start-time']) ?? NOW,
    exitAfter: span(nth(settings['exit-after'], attempt)),
    exitCode: Number(nth(settings['exit-code'], attempt) ?? 0),
    exitReason: nth(settings['exit-reason'], attempt),
    stopTime: settings['stop-time'] === 'never' ? undefined : (span(settings['stop-time']) ?? NOW),
    stopCode: Number(settings['stop-code'] ?? 0),
    probes: {
      startup: course(settings['startup'], draw),
      readiness:
        settings['readiness'] === undefined && readyAfter !== undefined ? parseCourse(`fail,${readyAfter}:ok`, draw) : course(settings['readiness'], draw),
      liveness: course(settings['liveness'], draw),
    },
    startError: settings['start-error'],
    log: settings['log'],
    logEvery: span(settings['log-every']),
    cpu: settings['cpu'],
    memory: settings['memory'],
  };
}

export function pullBehaviourFrom(settings: Settings): PullBehaviour {
  return { pullTime: span(settings['pull-time']) ?? NOW, pullError: settings['pull-error'], present: settings['present'] === 'true' };
}
