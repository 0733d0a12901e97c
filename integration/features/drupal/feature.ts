import { writeWhole } from '../../core/read/compose.ts';
import type { Feature } from '../../core/runtime/site.ts';
import { DRUPAL_OPTIONS } from './options.ts';
import { drupalReading } from './reading.ts';
import { SUBREQUESTS } from './routes.ts';

/** What only clients and modules of Drupal use. */
export const drupal: Feature = {
  ...drupalReading,
  options: DRUPAL_OPTIONS,
  settings: ({ api, drupal, indexes }) => ({ drupal: api !== false && drupal, indexes }),
  routes: [...drupalReading.routes, SUBREQUESTS],
  handlers: async () => ({
    ...(await drupalReading.handlers()),
    subrequests: {
      async answer({ services, target, body, forward, work }) {
        const { answerSubrequests } = await import('./subrequests.ts');
        const { limits } = services.settings;
        const text = await body('subrequestsBytes');
        await work.acquireSlot();
        const { origin } = target;
        const written = await writeWhole(await answerSubrequests(text, { origin, limits, forward, work }));
        return { ...written, status: 207 };
      },
    },
  }),
  files: async () => (await import('./static-files.ts')).MENU_FILES,
  async open({ services }) {
    const { defaultProblems } = await import('./default-problems.ts');
    const { indexProblems } = await import('./index-problems.ts');
    const { menuProblems } = await import('./menu-problems.ts');
    return {
      problems: () => [...defaultProblems(services()), ...menuProblems(services().store)],
      warnings: () => indexProblems(services()),
    };
  },
  describe: async () => [(await import('./describe.ts')).describeDrupal],
};
