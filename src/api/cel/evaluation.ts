import { createRequire } from 'node:module';
import type * as Cel from '@marcbachmann/cel-js';
import { registerKubernetesFunctions } from './kubernetes-functions.ts';

export type Environment = InstanceType<typeof Cel.Environment>;

/** What an expression came to: a value, or why it came to none, in cel-go's words. */
export type Evaluation = { ok: true; value: unknown } | { ok: false; error: string };

/** An expression ready to be asked. Integers are bigints, maps are objects or Maps. */
export type Program = (variables: Readonly<Record<string, unknown>>) => Evaluation;

const require = createRequire(import.meta.url);
let base: Environment | undefined;

/** Loaded with the first expression that is to be evaluated: most servers never see one. */
function environment(): Environment {
  if (!base) {
    const { Environment } = require('@marcbachmann/cel-js') as typeof Cel;
    base = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true, homogeneousAggregateLiterals: false });
    registerKubernetesFunctions(base);
  }
  return base;
}

/** The optional that holds a value, or nothing. */
export function optionalOf(value: unknown): unknown {
  const evaluated = environment().parse(value === undefined ? 'optional.none()' : 'optional.of(v)');
  return (evaluated as (variables: object) => unknown)({ v: value });
}

/** @throws Error for an expression that cannot be read. */
export function compile(source: string): Program {
  const parsed = environment().parse(source) as unknown as (variables: object) => unknown;
  return (variables) => {
    try {
      return { ok: true, value: parsed(variables) };
    } catch (error) {
      return { ok: false, error: wordsOf(error as Error) };
    }
  };
}

/** A program that may have to wait for what it asks. */
export type AsyncProgram = (variables: Readonly<Record<string, unknown>>) => Promise<Evaluation>;

/** @throws Error for an expression that cannot be read. */
export function compileAsync(source: string): AsyncProgram {
  const parsed = environment().parse(source) as unknown as (variables: object) => unknown;
  return async (variables) => {
    try {
      return { ok: true, value: await parsed(variables) };
    } catch (error) {
      return { ok: false, error: wordsOf(error as Error) };
    }
  };
}

/** The first line says what, the rest shows where. */
function wordsOf({ message }: Error): string {
  const [what = ''] = message.split('\n');
  if (/division by zero/i.test(what)) return 'division by zero';
  if (/modulus? by zero|modulo by zero/i.test(what)) return 'modulus by zero';
  const key = /^No such key: (.*)$/i.exec(what);
  if (key) return `no such key: ${key[1]}`;
  if (/out of bounds/i.test(what)) return what.replace(/^.*?(-?\d+).*$/, 'index out of bounds: $1');
  if (/no such overload|found no matching overload|not defined for/i.test(what)) return 'no such overload';
  return what;
}

/** A value as CEL sees it: integers are integers, whatever JSON makes of them. */
export function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [[name, toCel(one)]])));
}

/** A value of CEL as JSON has it. */
export function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, one]) => [String(name), fromCel(one)]));
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(fromCel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fromCel(one)]));
}
