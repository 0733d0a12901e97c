/** Runs of a property test. PROPERTY_RUNS multiplies them for a longer search; FC_SEED repeats a run. */
export function runs(numRuns: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(numRuns * FACTOR) };
}

/** Every sixth item, in each run of the suite from another one on. A longer search takes all of them. */
export function sample<T>(items: readonly T[]): readonly T[] {
  return FACTOR > 1 ? items : items.filter((_, at) => at % SHARE === SEED % SHARE);
}

const SHARE = 6;
const FACTOR = Number(process.env.PROPERTY_RUNS ?? 1);
const SEED = Number(process.env.FC_SEED);
