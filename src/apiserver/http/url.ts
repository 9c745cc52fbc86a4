import type { Query } from '../../api/request.ts';

/** The path and the query parameters of a request line; of a repeated parameter the last counts. */
export function splitUrl(url: string): { path: string; query: Query } {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: {} };
  const query: Query = {};
  for (const [key, value] of new URLSearchParams(url.slice(mark + 1))) if (key !== '__proto__') query[key] = value;
  return { path: url.slice(0, mark), query };
}
