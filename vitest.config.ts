import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/containers/**'],
    pool: 'threads',
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Half of the time of many tests is waiting: two side by side do well even on two cores.
    maxWorkers: 2,
    // Recordings wait rather than work; many wait side by side.
    maxConcurrency: 16,
  },
});
