/** Images by what becomes of them; the versions make templates differ. */
export const IMAGES = { good: 'sim/good', slow: 'sim/slow', flaky: 'sim/flaky', bad: 'sim/bad' } as const;

/** Annotations that a user sets by hand and that nobody may undo. */
export const MARK = { deployments: 'sim.coracle.dev/mark', replicasets: 'sim.coracle.dev/replica-set-mark' } as const;
