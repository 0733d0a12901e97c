import type { FeatureTooling } from '../../core/runtime/site.ts';
import { writeRedirects } from './output/write-redirects.ts';
import { redirectProblems } from './problems.ts';
import { readRedirects } from './redirect-file.ts';

export const TOOLING: FeatureTooling = {
  async notes(services) {
    return redirectProblems(services, await readRedirects(services.fileSources.content));
  },
  async write(project, dir, log) {
    if (!project.options.redirects) return;
    const { services } = await project.runtime();
    const { site } = project.settings();
    await writeRedirects(services, { dir, site, isNetlify: process.env.NETLIFY === 'true' }, log);
  },
};
