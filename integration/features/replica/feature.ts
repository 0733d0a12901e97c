import type { Feature } from '../../core/runtime/site.ts';

/** The commit of content that follows a branch, for the features that follow one. */
export const replica: Feature = {
  name: 'replica',
  async open() {
    const { createReplica } = await import('./create-replica.ts');
    return { createReplica };
  },
};
