/** The size of a trial: short in `npm test`, long in `npm run test:endurance` (see `vitest.endurance.config.ts`). */
export function sized<T>(short: T, long: T): T {
  return process.env.TRIALS === 'long' ? long : short;
}
