import type { FeatureTooling } from '../../core/runtime/site.ts';
import { countEntities, createLinkProblems, MOST_CHECKED } from './links.ts';
import { writeRedirects } from './output/write-redirects.ts';
import { redirectProblems } from './problems.ts';
import { readRedirects } from './redirect-file.ts';

export const TOOLING: FeatureTooling = {
  async notes(services) {
    const file = await readRedirects(services.fileSources.content);
    const links = createLinkProblems()(services, file).filter(
      ({ code }) => code === 'link/moved' || countEntities(services.store) > MOST_CHECKED,
    );
    return [...redirectProblems(services, file), ...links];
  },
  async write(project, dir, log) {
    if (!project.options.redirects) return;
    const { services } = await project.runtime();
    const { site } = project.settings();
    await writeRedirects(services, { dir, site, isNetlify: process.env.NETLIFY === 'true' }, log);
  },
};
