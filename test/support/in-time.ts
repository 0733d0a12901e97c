/**
 * Options of a test that a busy machine can fail, because it must act within the few milliseconds in which the code under
 * test waits, or compares CPU times. The test may try again.
 */
export const IN_TIME = { retry: 3 } as const;
