import { defineConfig } from 'vitest/config';

/** Real containers on this machine; they take root, Debian's packages, and minutes. */
export default defineConfig({
  test: {
    include: ['test/containers/**/*.test.ts'],
    root: new URL('../..', import.meta.url).pathname,
    testTimeout: 180_000,
    // Waits are fixed in the recordings: one file after the other, and no more of their cases at once than were recorded so.
    fileParallelism: false,
    maxConcurrency: 10,
  },
});
