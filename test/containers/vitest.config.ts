import { defineConfig } from 'vitest/config';

/** Real containers on this machine; they take root, Debian's packages, and minutes. */
export default defineConfig({ test: { include: ['test/containers/**/*.test.ts'], root: new URL('../..', import.meta.url).pathname, testTimeout: 120_000 } });
