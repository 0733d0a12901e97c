import { readFileSync } from 'node:fs';
import { publishedServices } from '../../core/api/published.ts';
import type { Services, StaticDocument } from '../../core/api/request.ts';
import { hasOption } from '../../core/options/options.ts';
import { searchLanguages } from '../../core/runtime/open-full-text.ts';
import type { AstroProject, FeatureTooling } from '../../core/runtime/site.ts';
import { formatBytes, formatTime, writeDocuments } from '../../core/runtime/write-documents.ts';
import { createStaticAnswers } from './dev-answers.ts';
import { hasManyEntities, prebuildProblems, staticDocuments } from './documents/documents.ts';
import { SERVICE_WORKER_FILE, SNAPSHOT_PATH } from './format.ts';
import { type SnapshotOptions, snapshotFiles } from './write.ts';

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
  async write(project, dir, log) {
    const { services } = await project.runtime();
    const { files, bytes, ms } = await writeDocuments(staticDocuments(services), dir);
    if (files > 0) {
      log.info(
        `${files} JSON ${files === 1 ? 'document' : 'documents'} written, ${formatBytes(bytes)}, in ${formatTime(ms)}`,
      );
    }
    if (files > 0 && (await hasManyEntities(services))) {
      log.info(
        'Entities have no files of their own, because there are more than option static.documents says. Pages read them from the snapshot.',
      );
    }
    if (!hasSnapshot(services)) return;
    const written = await writeDocuments(snapshotDocuments(project, services), dir);
    log.info(
      `Snapshot for queries: ${written.files} files, ${formatBytes(written.bytes)}, in ${formatTime(written.ms)}`,
    );
  },
  answer: (project, { services, handle }, log) =>
    createStaticAnswers({ services, snapshot: () => snapshotDocuments(project, services), handle, log }),
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

function snapshotOptions({ options, settings }: AstroProject): SnapshotOptions {
  const { form, locale, languages } = settings();
  return { form, search: searchLanguages(options, locale, languages) };
}

function hasSnapshot({ settings: { api, static: files } }: Services): boolean {
  return api !== false && files !== false && files?.queries !== false;
}

/** The snapshot of a site and its service worker; none if the options leave them out. */
async function* snapshotDocuments(project: AstroProject, services: Services): AsyncGenerator<StaticDocument> {
  if (!hasSnapshot(services)) return;
  const { base, prefix = '' } = services.settings;
  const folder = `${prefix}${SNAPSHOT_PATH}`.slice(1);
  for await (const { name, bytes } of snapshotFiles(publishedServices(services), snapshotOptions(project))) {
    yield { path: `${folder}/${name}`, write: async () => bytes };
  }
  const worker = new TextEncoder().encode(serviceWorker(`${base}${prefix}/jsonapi`));
  // In the root, because a worker only controls pages in and below its folder.
  yield { path: SERVICE_WORKER_FILE, write: async () => worker };
}

/** The service worker of a static site, for the API at a path such as `/docs/jsonapi`. */
function serviceWorker(api: string): string {
  // The build puts the file into `dist/admin/explorer`, next to the compiled folders of the package.
  const folder = import.meta.url.endsWith('.ts') ? '../../../dist/admin/explorer/' : '../../admin/explorer/';
  const text = readFileSync(new URL(`${folder}service-worker.js`, import.meta.url), 'utf8');
  // `fetch.ts` reads the name.
  return `const __ASTRO_JSONAPI__ = ${JSON.stringify(api)};\n${text}`;
}
