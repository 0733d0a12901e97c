import { CommandError, defineCommand, SITE_FLAGS, warn } from '../../core/runtime/command.ts';
import { searchLanguages } from '../../core/runtime/open-full-text.ts';
import { isError } from '../../core/source/diagnostic.ts';
import { counted } from '../../core/util/text.ts';
import { databaseUrl, type Engine, engineSchema } from './options.ts';

export const sync = defineCommand({
  name: 'sync',
  summary: 'Store the content in PostgreSQL, from which servers with option `engine` answer.',
  argument: { name: '[dir]', help: 'The content folder, or its project.' },
  flags: {
    revision: { value: 'name', help: 'Name this state, such as by its commit.' },
    force: { help: 'Store the content although it has errors. Files with errors are left out.' },
    ...SITE_FLAGS,
  },
  details: [
    'The address of the database is that of option `engine`, else that in the variable DATABASE_URL.',
    'All changes are one transaction: servers answer from the old content or from the new. Only changed entities are written.',
    'If the command is stopped, the database stays as it was. Run it again.',
    'The exit code is 1 if the content has errors, or if the database cannot be reached.',
  ],
  examples: [
    ['npx astro-jsonapi sync', 'Store the content of this project'],
    ['DATABASE_URL=postgres://localhost/site npx astro-jsonapi sync', 'Choose the database'],
    ['npx astro-jsonapi sync --revision "$(git rev-parse HEAD)"', 'Name the commit, in CI'],
  ],
  async run({ argument, flags, terminal, cli }) {
    const start = performance.now();
    const site = await cli.findSite(flags, terminal, argument);
    const { options, locale, languages } = site;
    const engine = options.engine ?? engineSchema.parse({ name: 'postgres' });
    const url = addressOf(engine);
    const { openDatabase, storeContent } = await loadPostgres();
    const { services, saved } = await cli.openContent(site, terminal, { cached: true });
    const errors = services.diagnostics().filter(isError).length;
    if (errors > 0) {
      const advice = `See: npx astro-jsonapi check ${site.folder}`;
      if (!flags.force)
        throw new CommandError(
          `The content has ${counted(errors, 'error')}, so nothing was stored. ${advice}`,
        );
      warn(terminal, `The content has ${counted(errors, 'error')}. ${advice}`);
    }
    await saved();
    const { schema } = engine;
    const db = openDatabase({ url, schema });
    const progress = cli.createProgress({ verb: 'Storing', noun: 'entities', folder: site.folder }, terminal);
    try {
      const search = searchLanguages(options, locale, languages);
      const revision = flags.revision ?? '';
      const { version, written, removed } = await storeContent(
        db,
        services.store,
        { schema, search, revision },
        { progress },
      );
      progress.done();
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      terminal.print(
        `Stored version ${version} in ${seconds} s: ${counted(written, 'row')} written, ${removed} removed.`,
      );
      return 0;
    } catch (error) {
      progress.done();
      throw new CommandError(`The content was not stored. ${describe(error)}`);
    } finally {
      await db.destroy();
    }
  },
});

function addressOf(engine: Engine): string {
  try {
    return databaseUrl('engine', engine.url, process.env);
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}

/** The modules that need packages which not every site has. */
export async function loadPostgres() {
  try {
    const [{ openDatabase }, { storeContent }, open] = await Promise.all([
      import('./database.ts'),
      import('./publish.ts'),
      import('./open.ts'),
    ]);
    return { openDatabase, storeContent, ...open };
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND')) throw cause;
    throw new CommandError('This command needs the packages kysely and pg. Run: npm install kysely pg');
  }
}

/** Errors of connections have no message, but several causes. */
function describe(error: unknown): string {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return String(first);
  return 'hint' in first && typeof first.hint === 'string'
    ? `${first.message}. ${first.hint}`
    : first.message;
}
