/** What a component reports to the operator. Expected outcomes are not logged; surprises are. */
export interface Log {
  /** Why a component does what it does; for somebody who looks into it. */
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export const silent: Log = { debug: () => {}, info: () => {}, error: () => {} };

/** Lines of `component: message key=value …` on the stream given. */
export function lineLog(write: (line: string) => void, component = ''): Log {
  const line = (level: string) => (message: string, fields?: Record<string, unknown>) => {
    const rest = Object.entries(fields ?? {}).map(([key, value]) => ` ${key}=${value instanceof Error ? value.stack : JSON.stringify(value)}`);
    write(`${level} ${component && `${component}: `}${message}${rest.join('')}\n`);
  };
  return { debug: line('D'), info: line('I'), error: line('E') };
}
