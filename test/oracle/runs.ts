/**
 * Runs of a property test: PROPERTY_RUNS multiplies them for a longer search, PROPERTY_SEED repeats one.
 * fast-check prints the seed and the path of a failure.
 */
export function runs(numRuns: number): { readonly numRuns: number; readonly seed?: number } {
  const factor = Number(process.env.PROPERTY_RUNS ?? 1);
  const seed = process.env.PROPERTY_SEED;
  return { numRuns: Math.ceil(numRuns * factor), ...(seed === undefined ? {} : { seed: Number(seed) }) };
}
