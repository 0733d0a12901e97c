import { stories } from './stories.ts';

/** Stories as their own pages show them: with what lies nearby. */
export const fullStories = stories.include('field_related');

export type FullStory = Awaited<ReturnType<typeof fullStories.all>>[number];
