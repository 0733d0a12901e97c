/** The seed of all property tests of this run: FC_SEED, or a random one. */
export const seed = process.env.FC_SEED ?? String(Math.floor(Math.random() * 2 ** 31));

console.log(`Property tests: FC_SEED=${seed}`);
