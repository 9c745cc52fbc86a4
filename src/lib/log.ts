/** What a component reports to the operator. Expected outcomes are not logged; surprises are. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /** Why each thing is done, for somebody who looks into it. Left out: nobody reads it, and nobody need put it together. */
  debug?(message: string, fields?: Record<string, unknown>): void;
}

export const silent: Log = { info: () => {}, error: () => {} };

/** Lines of `component: message key=value …` on the stream given; those of debug only where asked for. */
export function lineLog(write: (line: string) => void, component = '', { debug = false }: { debug?: boolean } = {}): Log {
  const line = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    const rest = Object.entries(fields ?? {}).map(([key, value]) => ` ${key}=${value instanceof Error ? value.stack : JSON.stringify(value)}`);
    write(`${level} ${component && `${component}: `}${message}${rest.join('')}\n`);
  };
  return { info: line('I'), error: line('E'), ...(debug ? { debug: line('D') } : {}) };
}
