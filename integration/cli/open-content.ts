import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Paint } from '../entities/diagnostic-report.ts';
import { digestText } from '../jsonapi/fragment.ts';
import { createRuntime, type Runtime, type RuntimeDeps } from '../runtime.ts';
import { createFsDriver } from '../storage/drivers/fs.ts';
import type { Terminal } from './command.ts';
import type { FoundSite } from './find-site.ts';
import { withProgress } from './progress.ts';
import { createSiteRenderer } from './render-body.ts';

/** What one command wants otherwise. */
export interface ContentWishes {
  /** `check` alone treats a reference to nothing as the build does. */
  readonly danglingReferences?: 'error' | 'missing';
  readonly gitDates?: boolean;
  readonly explorer?: boolean;
  /** For problems; those of the standard error by default. */
  readonly paint?: Paint;
  readonly onChange?: RuntimeDeps['onChange'];
}

/** Reads the content of a folder, with a line of progress where that takes a while. */
export async function openContent(
  site: FoundSite,
  terminal: Terminal,
  { danglingReferences = 'missing', gitDates, explorer = false, paint, onChange }: ContentWishes = {},
): Promise<Runtime> {
  const { say, paintSaid } = terminal;
  const { root, contentDir, publicDir, folder, base, trailingSlash, locale } = site;
  const options = { ...site.options, gitDates: gitDates ?? site.options.gitDates };
  const progress = withProgress(createFsDriver(contentDir), folder, terminal);
  const warn = (message: string) => say(`${paintSaid('warning', 'warning:')} ${message}`);
  try {
    return await createRuntime({
      options,
      site: {
        ...{ root, contentDir, base, trailingSlash, locale, explorer },
        ...{ health: options.health, cors: options.cors, requestLog: options.requestLog },
        dev: true,
        readOnly: true,
        form: digestText(inspect([base, trailingSlash, site.markdown], { depth: 10 })),
      },
      driver: progress.driver,
      ...(existsSync(publicDir) && { publicFiles: createFsDriver(publicDir) }),
      schema: await site.schema(),
      danglingReferences,
      renderBody: createSiteRenderer(site, warn),
      log: { info: say, warn, error: say },
      paint: paint ?? paintSaid,
      ...(onChange && { onChange }),
    });
  } finally {
    progress.done();
  }
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
