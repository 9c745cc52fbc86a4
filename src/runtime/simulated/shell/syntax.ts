/** A piece of a word. Quoted ones are taken as they are; the values of others are split at white space. */
export type Part =
  | { type: 'text'; text: string; quoted: boolean }
  | { type: 'variable'; name: string; otherwise: string | undefined; quoted: boolean }
  | { type: 'command'; script: Script; quoted: boolean }
  | { type: 'arithmetic'; text: string };

export type Word = readonly Part[];

export interface Redirect {
  /** The file descriptor that is led elsewhere: 0 input, 1 output, 2 errors. */
  from: number;
  mode: 'read' | 'write' | 'append' | 'duplicate';
  to: Word;
}

/** What stands between two joints: runs if the one before has succeeded (`&&`), failed (`||`), or in any case (`;`). */
export interface Step {
  joint: ';' | '&&' | '||';
  negated: boolean;
  /** Each reads what the one before it writes. */
  pipeline: readonly Command[];
}

export type Script = readonly Step[];

export type Command = { redirects: readonly Redirect[] } & (
  | { type: 'simple'; assignments: readonly { name: string; value: Word }[]; words: readonly Word[] }
  | { type: 'while'; until: boolean; condition: Script; body: Script }
  | { type: 'if'; branches: readonly { condition: Script; body: Script }[]; otherwise: Script }
  | { type: 'for'; name: string; words: readonly Word[]; body: Script }
  | { type: 'group'; body: Script }
);
