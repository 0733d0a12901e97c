import type { Feature } from '../../core/runtime/site.ts';

/** A command that infers `schema.ts` from the files. */
export const schema: Feature = {
  name: 'schema',
  tooling: async () => (await import('./tooling.ts')).tooling,
};
