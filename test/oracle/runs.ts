/** Runs of a property test. PROPERTY_RUNS multiplies them for a longer search; FC_SEED repeats a run. */
export function runs(numRuns: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(numRuns * Number(process.env.PROPERTY_RUNS ?? 1)) };
}
