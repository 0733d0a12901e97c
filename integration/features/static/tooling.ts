import { publishedServices } from '../../core/api/published.ts';
import type { Services } from '../../core/api/request.ts';
import { hasOption } from '../../core/options/options.ts';
import type { AstroProject, FeatureTooling } from '../../core/runtime/site.ts';
import { createStaticAnswers } from './dev-answers.ts';
import { prebuildProblems } from './documents/documents.ts';
import { snapshotDocuments, snapshotOptions, writeSite } from './output/write-site.ts';
import { snapshotFiles } from './write.ts';

const SNAPSHOT_MODULE = 'astro-jsonapi:carried-snapshot';
/** Followed by the position of the file. */
const FILE_MODULE = 'astro-jsonapi:carried-snapshot-file/';

export const tooling: FeatureTooling = {
  checks: (_, services) => prebuildProblems(services),
  modules: (project) => ({
    [SNAPSHOT_MODULE]: async () => {
      const { services } = await project.runtime();
      const names = [...(await carriedSnapshot(project, services)).keys()];
      const loaders = names.map(
        (name, index) => `[${JSON.stringify(name)}, () => import('${FILE_MODULE}${index}')]`,
      );
      if (loaders.length === 0) return 'export default null;';
      return `export default { files: new Map([${loaders.join(', ')}]), until: ${services.clock.nextScheduledChange()} };`;
    },
    [FILE_MODULE]: async ({ below }) => {
      const texts = await carriedSnapshot(project, (await project.runtime()).services);
      return `export default ${JSON.stringify([...texts.values()][Number(below)] ?? '')};`;
    },
  }),
  serverParts: (project) => (carriesSnapshot(project) ? { snapshot: SNAPSHOT_MODULE } : {}),
  write: writeSite,
  answer: (project, { services, handle }, log) =>
    createStaticAnswers({
      services,
      snapshot: () => snapshotDocuments(project, services),
      handle,
      log,
    }),
};

/**
 * Whether a server without its content folder can answer anonymous visitors from a snapshot. Webhooks are also called at
 * publication dates, and components of MDX are rendered for each request. A Worker has a limit for its size.
 */
function carriesSnapshot(project: AstroProject): boolean {
  const { readOnly, signIn, admin } = project.settings();
  const isFixed = readOnly && !signIn && !admin && !CHANGING.some((name) => hasOption(project.options, name));
  return isFixed && !project.rendersMdx() && project.server() !== 'worker';
}

/** Options of features whose sites need more than a snapshot. */
const CHANGING = ['storage', 'webhooks', 'engine'];

const snapshotOf = new WeakMap<Services, Promise<ReadonlyMap<string, string>>>();

/** The texts of the files of a snapshot by name. Empty if pages see bundles that are not in the API. */
function carriedSnapshot(project: AstroProject, services: Services): Promise<ReadonlyMap<string, string>> {
  const carried = snapshotOf.get(services) ?? readSnapshot(project, services);
  snapshotOf.set(services, carried);
  return carried;
}

async function readSnapshot(project: AstroProject, services: Services): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (publishedServices(services) !== services) return texts;
  const decoder = new TextDecoder();
  for await (const { name, bytes } of snapshotFiles(services, snapshotOptions(project))) {
    texts.set(name, decoder.decode(bytes));
  }
  return texts;
}
