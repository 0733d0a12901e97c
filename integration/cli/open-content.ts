import { existsSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { ownVersion } from '../astro/caches.ts';
import type { ParsedFile } from '../content/parse-file.ts';
import { createGitDriver } from '../git/driver.ts';
import { createRuntime, type Runtime, type Site } from '../runtime/runtime.ts';
import type { Paint } from '../source/diagnostic.ts';
import { createFileCache, type FileCache } from '../storage/cache/file-cache.ts';
import { createFsDriver } from '../storage/drivers/fs.ts';
import { digestText } from '../util/revision.ts';

import type { Terminal } from './command.ts';
import type { FoundSite } from './find-site.ts';
import { withProgress } from './progress.ts';
import { createSiteRenderer } from './render-body.ts';

/** Options of a single command. */
export interface ContentOptions {
  /** Default: `missing`. `check` treats missing entities as the build does. */
  readonly danglingReferences?: 'error' | 'missing';
  readonly gitDates?: boolean;
  readonly explorer?: boolean;
  /** Colors of problems. Default: those of standard error. */
  readonly paint?: Paint;
  readonly onChange?: Site['onChange'];
  /** Whether to cache parsed files for the next start. */
  readonly keep?: boolean;
  /** Turns on signing in and writing, with these accounts. */
  readonly accountsFile?: string | undefined;
}

/** Reads the content of a folder, with a line of progress where that takes a while. */
export async function openContent(
  site: FoundSite,
  terminal: Terminal,
  {
    danglingReferences = 'missing',
    gitDates,
    explorer = false,
    paint,
    onChange,
    keep = false,
    accountsFile,
  }: ContentOptions = {},
): Promise<Runtime> {
  const { say, paintSaid } = terminal;
  const { root, contentDir, publicDir, folder, base, trailingSlash, locale } = site;
  const options = { ...site.options, danglingReferences, gitDates: gitDates ?? site.options.gitDates };
  const progress = withProgress(createGitDriver(contentDir), folder, terminal);
  const warn = (message: string) => say(`${paintSaid('warning', 'warning:')} ${message}`);
  try {
    const source = {
      driver: progress.driver,
      // Without accounts, there is nothing to commit.
      folder: accountsFile && contentDir,
      ...(existsSync(publicDir) && { publicFiles: createFsDriver(publicDir) }),
      schema: await site.schema(),
      ...(keep && { cache: fileCache(site, warn) }),
    };
    return await createRuntime(source, {
      options,
      settings: {
        ...{ root, contentDir, base, trailingSlash, locale, explorer },
        ...{ health: options.healthPath, cors: options.cors, requestLog: options.logging.requests },
        dev: true,
        accountsFile,
        readOnly: accountsFile === undefined,
        signIn: accountsFile !== undefined,
        sessionCookie: null,
        withoutSessions: WITHOUT_SESSIONS,
        trustsProxy: false,
        form: digestText(inspect([base, trailingSlash, site.markdown], { depth: 10 })),
      },
      ...createSiteRenderer(site, accountsFile !== undefined, warn),
      log: { info: say, warn, error: say },
      paint: paint ?? paintSaid,
      ...(onChange && { onChange, bodyErrors: 'text' }),
    });
  } finally {
    progress.done();
  }
}

const WITHOUT_SESSIONS =
  '`astro-jsonapi serve` keeps no sessions, so nobody signs in by a form here. Send name and password by HTTP Basic, or a token, with each request: curl -u <name> …. The site itself, built or in astro dev, has people sign in.';

/**
 * In JSONAPI_CACHE_DIR; else beside the project's packages, where its build keeps its own; undefined for a folder that is
 * no project: nothing is written there.
 */
function fileCache(
  { root, contentDir }: FoundSite,
  warn: (message: string) => void,
): FileCache<ParsedFile> | undefined {
  const named = process.env.JSONAPI_CACHE_DIR;
  const packages = path.join(root, 'node_modules');
  if (!named && !existsSync(packages)) return undefined;
  const file = path.resolve(named || path.join(packages, '.astro/astro-jsonapi'), 'content.cache');
  return createFileCache({ path: file, folder: contentDir, version: ownVersion(), log: { warn } });
}

/** Says in one line that the content has errors, for commands that are about something else. */
export function warnOfErrors(
  { services }: Runtime,
  { folder }: FoundSite,
  { say, paintSaid }: Terminal,
): void {
  const errors = services.diagnostics().filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  const count = `${errors} error${errors === 1 ? '' : 's'}`;
  say(`${paintSaid('warning', 'warning:')} ${folder} has ${count}. See: npx astro-jsonapi check ${folder}`);
}
