/**
 * Options of a test that has to act within the few milliseconds in which the code under test waits. A busy machine can
 * miss them, so the test may try again.
 */
export const IN_TIME = { retry: 3 } as const;
