import type { FeatureTooling } from '../../core/runtime/site.ts';
import { findCallouts } from './callouts.ts';
import type { Markup, ReadMarkup } from './markup.ts';
import { siteComponents } from './site-components.ts';

const MODULE = 'astro-jsonapi:markup';

const callouts = new WeakMap<object, Promise<Markup['callouts']>>();

/** Components can change at any time; what the renderer knows cannot. */
const readMarkup: ReadMarkup = async (root, services) => {
  const finding = callouts.get(services.renderBody) ?? findCallouts(services);
  callouts.set(services.renderBody, finding);
  return { components: await siteComponents(root), callouts: await finding };
};

export const tooling: FeatureTooling = {
  parts: () => ({ markup: readMarkup }),
  modules: (project) => ({
    async [MODULE]() {
      const { services } = await project.runtime();
      const read = await readMarkup(project.settings().root, services);
      return `export default ${JSON.stringify(read)};`;
    },
  }),
  serverParts: ({ settings }) => (settings().admin ? { markup: MODULE } : {}),
};
