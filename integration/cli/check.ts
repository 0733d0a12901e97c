import { bodyText, type Entity } from '../core/content/model.ts';
import { byBundle } from '../core/options/options.ts';
import type { ContentSite } from '../core/runtime/command.ts';
import { defineCommand, SITE_FLAGS, type Terminal, warn } from '../core/runtime/command.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import { optionWarnings } from '../core/runtime/terminal.ts';
import { loadTooling } from '../core/runtime/tooling.ts';
import {
  countDiagnostics,
  type Diagnostic,
  FILE_START,
  isError,
  type Position,
  positionIn,
} from '../core/source/diagnostic.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { readBytes } from '../core/storage/stored-bytes.ts';
import { counted, errorMessage } from '../core/util/text.ts';
import { unsafeParts } from '../core/write/html/safe-html.ts';
import { FEATURES } from '../features.ts';
import { openContent } from './content.ts';
import { hiddenReferences } from './hidden-references.ts';
import { createProgress } from './progress.ts';
import { findSite } from './site.ts';

export const check = defineCommand({
  name: 'check',
  summary: 'Report every problem of the content, as `astro build` does.',
  argument: { name: '[dir]', help: 'The content folder, or its project.' },
  flags: {
    html: { help: 'Render all bodies, and list HTML that needs the permission `use raw html`.' },
    strict: { help: 'Exit with 1 if there are warnings too.' },
    notes: {
      help: 'Include notes about inferred, renamed, and ignored fields and files, and ids that are public.',
    },
    json: { help: 'Print the report as JSON.' },
    ...SITE_FLAGS,
  },
  details: [
    'The exit code is 1 if there are errors, and with --strict if there are warnings.',
    'To check before each commit:',
    'echo "npx astro-jsonapi check" >> .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit',
  ],
  examples: [
    ['npx astro-jsonapi check', 'Check the content of this project'],
    ['npx astro-jsonapi check --strict', 'Fail in CI if anything is wrong'],
    ['npx astro-jsonapi check --html', 'Check the HTML of stored bodies'],
    ['npx astro-jsonapi check ../notes', 'Check a folder of Markdown without a site'],
    ["npx astro-jsonapi check --json | jq '.problems[].code'", 'Use the report in another program'],
  ],
  async run({ argument, flags, terminal }) {
    const { print, report, paint, paintReport } = terminal;
    const start = performance.now();
    const site = await findSite(flags, terminal, argument);
    const { options, folder } = site;
    const { danglingReferences } = options;
    // Without dates in aliases, no problem depends on the dates of commits.
    const gitDates =
      options.gitDates &&
      Object.values(byBundle(options, 'alias')).some((pattern) => DATE_TOKEN.test(pattern));
    const runtime = await openContent(site, terminal, { danglingReferences, gitDates, paint });
    const html = flags.html ? await checkHtml(runtime, folder, terminal) : [];
    const references = flags.notes || flags.json ? await hiddenReferences(runtime) : [];
    const tooling = await loadTooling(FEATURES);
    const notes = (await Promise.all(tooling.map((each) => each.notes?.(runtime.services) ?? []))).flat();
    const problems = [...runtime.services.diagnostics(), ...html, ...references, ...notes];
    const checked = tooling.map(({ checks }) => checks?.(site, runtime.services) ?? []);
    const optionErrors = (await Promise.all(checked)).flat();
    const warnings = optionWarnings(runtime, options);
    const hasErrors = optionErrors.length > 0 || problems.some(isError);
    const hasWarnings = warnings.length > 0 || problems.some(({ severity }) => severity === 'warning');
    const exitCode = hasErrors || (flags.strict && hasWarnings) ? 1 : 0;
    if (flags.json) {
      print(JSON.stringify(jsonReport(site, runtime, problems, optionErrors), null, 2));
      return exitCode;
    }
    for (const warning of warnings) warn(terminal, warning);
    for (const error of optionErrors) report(`${paintReport('error', 'error:')} ${error}`);
    // Notes say why a folder has no entities.
    const hasNotes = flags.notes || countEntities(runtime) === 0;
    const listed = problems.filter(
      (problem) => problem.severity !== 'info' || hasNotes || notes.includes(problem),
    );
    if (listed.length > 0) print(await runtime.describeProblems(listed));
    if (!hasErrors) {
      const seconds = ((performance.now() - start) / 1000).toFixed(2);
      const counts = countDiagnostics(problems.filter(({ severity }) => severity === 'warning'));
      const verdict = counts === '' ? 'no problems' : `no errors, ${counts}`;
      const mark = exitCode === 0 ? paint('hint', '✓') : paint('error', '✗');
      print(`${mark} ${folder}: ${summarize(runtime)}, ${verdict} (${seconds} s)`);
    }
    return exitCode;
  },
});

/** Tokens of alias patterns that can come from git. */
const DATE_TOKEN = /\[(created|changed)/;

function summarize(runtime: Runtime): string {
  const { store } = runtime.services;
  const bundles = [...store.types.keys()].filter((name) => store.entities(name).length > 0);
  return `${counted(countEntities(runtime), 'entity', 'entities')} in ${counted(bundles.length, 'bundle')}`;
}

function countEntities({ services: { store } }: Runtime): number {
  return [...store.types.keys()].reduce((sum, name) => sum + store.entities(name).length, 0);
}

function jsonReport(
  { folder, options }: ContentSite,
  runtime: Runtime,
  problems: readonly Diagnostic[],
  optionErrors: readonly string[],
) {
  const count = (severity: Diagnostic['severity']) =>
    problems.filter((problem) => problem.severity === severity).length;
  return {
    folder,
    entities: countEntities(runtime),
    errors: count('error') + optionErrors.length,
    warnings: count('warning'),
    options: [...optionErrors, ...optionWarnings(runtime, options)],
    problems: problems.map(({ key, line, column, ...rest }) => ({
      file: key === '' ? folder : `${folder}/${key}`,
      line,
      column,
      ...rest,
    })),
  };
}

/** Warnings about HTML in Markdown bodies that needs the permission `use raw html`. MDX is code and not checked. */
async function checkHtml(
  { services: { store, renderBody } }: Runtime,
  folder: string,
  terminal: Terminal,
): Promise<readonly Diagnostic[]> {
  const entities = [...store.types.keys()]
    .flatMap((name) => store.entities(name))
    .filter(({ body }) => body?.format === 'markdown');
  const progress = createProgress({ verb: 'Checking', noun: 'bodies', folder }, terminal);
  progress.start(entities.length);
  const problems: Diagnostic[] = [];
  try {
    for (const entity of entities) {
      progress.step();
      problems.push(...(await htmlProblems(entity, renderBody)));
    }
  } finally {
    progress.done();
  }
  return problems;
}

async function htmlProblems(
  entity: Entity,
  renderBody: (entity: Entity) => Promise<string>,
): Promise<readonly Diagnostic[]> {
  const problem = (code: string, part: string, message: string): Diagnostic => ({
    severity: 'warning',
    code,
    key: fileOfKey(entity.key),
    ...positionOf(part, entity),
    message,
  });
  try {
    const parts = unsafeParts(await renderBody(entity));
    return parts === null
      ? [problem('body/unchecked-html', '', 'The body has too much HTML to check it.')]
      : parts.map((part) => problem('body/raw-html', part, `${part} needs the permission \`use raw html\`.`));
  } catch (error) {
    return [problem('body/unchecked-html', '', errorMessage(error))];
  }
}

/** The position of the element, attribute, or URL that `part` names; the start of the body if it is not in the source. */
function positionOf(part: string, { body }: Entity): Position {
  if (body === null) return FILE_START;
  const [, name = ''] = NAME_OF_PART.exec(part) ?? [];
  const offset = bodyText(body).toLowerCase().indexOf(name.toLowerCase());
  const text = decoder.decode(readBytes(body.file, 0, body.end));
  return positionIn(text, text.length - bodyText(body).length + Math.max(offset, 0));
}

/** `<script` of `<script>` and `misplaced <script>`, `onclick` of `onclick of <p>`, and `javascript:` of a URL. */
const NAME_OF_PART = /^(?:misplaced )?"?([^\s">]{1,20})/;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
