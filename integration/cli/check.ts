import { byBundle } from '../options/options.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { optionWarnings } from '../runtime/terminal.ts';
import { countDiagnostics, type Diagnostic } from '../source/diagnostic.ts';
import { checkHtml } from './check-html.ts';
import { type Command, SITE_FLAGS } from './command.ts';
import { type FoundSite, findSite } from './find-site.ts';
import { openContent } from './open-content.ts';

/** Patterns of aliases that take dates, which then come from git where no file says them. */
const DATE_TOKEN = /\[(created|changed)/;

export const check: Command = {
  name: 'check',
  summary: 'Finds every problem of the content, as `astro build` would, without Astro.',
  argument: { name: '[dir]', help: 'The content folder, or the project it belongs to.' },
  flags: {
    json: { help: 'Print the problems as JSON: { folder, entities, errors, warnings, options, problems }.' },
    html: {
      help: 'Render every body, and list the parts of its HTML that need the permission `use raw html`.',
    },
    notes: { help: 'Print notes too: what was inferred, passed over and renamed.' },
    ...SITE_FLAGS,
  },
  details: [
    'Exit code 1 where there are errors, 0 where there are none: warnings do not fail.',
    'As a hook before each commit: echo "npx astro-jsonapi check" >> .git/hooks/pre-commit',
  ],
  examples: [
    ['npx astro-jsonapi check', 'Check the content of this project'],
    ['npx astro-jsonapi check --html', 'Look through the HTML of bodies that were written before'],
    ['npx astro-jsonapi check ../notes', 'Check a folder of markdown that is no site'],
    ["npx astro-jsonapi check --json | jq '.problems[].code'", 'Let another program read the problems'],
  ],
  async run(input) {
    const { switches, terminal } = input;
    const { print, say, paint, paintSaid } = terminal;
    const started = performance.now();
    const site = await findSite(input);
    const gitDates =
      site.options.gitDates &&
      Object.values(byBundle(site.options, 'alias')).some((text) => DATE_TOKEN.test(text));
    const { danglingReferences } = site.options;
    const runtime = await openContent(site, terminal, { danglingReferences, gitDates, paint });
    const html = switches.has('html') ? await checkHtml(runtime.services, site.folder, terminal) : [];
    const problems = [...runtime.services.diagnostics(), ...html];
    const errors = countOf(problems, 'error');
    if (switches.has('json')) {
      print(JSON.stringify(jsonReport(site, runtime, problems), null, 2));
      return errors > 0 ? 1 : 0;
    }
    for (const warning of optionWarnings(runtime, site.options)) {
      say(`${paintSaid('warning', 'warning:')} ${warning}`);
    }
    // Where nothing is content, the notes tell why.
    const notes = switches.has('notes') || entitiesOf(runtime.services.store) === 0;
    const shown = problems.filter(({ severity }) => severity !== 'info' || notes);
    if (shown.length > 0) print(await runtime.describeProblems(shown));
    if (errors === 0) {
      const seconds = ((performance.now() - started) / 1000).toFixed(2);
      const warned = countDiagnostics(problems.filter(({ severity }) => severity === 'warning'));
      const verdict = warned === '' ? 'no problems' : `no errors, ${warned}`;
      print(`${paint('hint', '✓')} ${site.folder}: ${summary(runtime)}, ${verdict} (${seconds} s)`);
    }
    return errors > 0 ? 1 : 0;
  },
};

function summary({ services: { store } }: Runtime): string {
  const bundles = [...store.types.keys()].filter((name) => store.entities(name).length > 0).length;
  const entities = entitiesOf(store);
  return `${entities} ${entities === 1 ? 'entity' : 'entities'} in ${bundles} bundle${bundles === 1 ? '' : 's'}`;
}

function entitiesOf(store: Runtime['services']['store']): number {
  return [...store.types.keys()].reduce((sum, name) => sum + store.entities(name).length, 0);
}

function jsonReport(site: FoundSite, runtime: Runtime, problems: readonly Diagnostic[]): CheckDocument {
  return {
    folder: site.folder,
    entities: entitiesOf(runtime.services.store),
    errors: countOf(problems, 'error'),
    warnings: countOf(problems, 'warning'),
    options: optionWarnings(runtime, site.options),
    problems: problems.map(({ key, line, column, ...rest }) => ({
      file: key === '' ? site.folder : `${site.folder}/${key}`,
      line,
      column,
      ...rest,
    })),
  };
}

function countOf(problems: readonly Diagnostic[], severity: Diagnostic['severity']): number {
  return problems.filter((problem) => problem.severity === severity).length;
}

/** What `check --json` prints. */
interface CheckDocument {
  /** Relative to the working directory, as `file` of each problem is. */
  readonly folder: string;
  readonly entities: number;
  readonly errors: number;
  readonly warnings: number;
  /** What options say of bundles that are not there. */
  readonly options: readonly string[];
  readonly problems: readonly (Omit<Diagnostic, 'key'> & { readonly file: string })[];
}
