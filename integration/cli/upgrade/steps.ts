import { MAX_FILE_VALUES } from '../../core/content/encode/encode-file.ts';
import { splitFile } from '../../core/content/file-parts.ts';
import { formatOf } from '../../core/source/formats.ts';
import { headingAtStart } from '../../core/source/heading.ts';
import { readData } from '../../core/source/read-data.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { propertyOf } from '../edit-config.ts';
import { literalOf, optionAt, type Place, type Project, placeOf, placesOf } from './project.ts';
import { setOption } from './set-option.ts';

/** A promise that changed, and what a project that relied on it needs. */
export interface Step {
  /** Unique, for tests and the documentation. */
  readonly id: string;
  /** The version that made the change. */
  readonly since: string;
  /** What changed, in a sentence for the user. */
  readonly explain: string;
  /** The places that relied on it. Empty after the change, so that a second run finds nothing. */
  find(project: Project): readonly Place[];
  /** The changed project; undefined if the change is not safe. Without it, people make the change. */
  change?(project: Project, place: Place): Project | undefined;
  /** What to write by hand, and where if that is not the place. */
  readonly write: string;
}

/** In the order in which they apply. A change of a promise adds an entry at the end. */
export const STEPS: readonly Step[] = [
  {
    id: 'astro-version',
    since: '0.3.0',
    explain: 'The integration needs Astro 7.2.4 or newer.',
    find: (project) =>
      placesOf(project, ASTRO_RANGE, /^package\.json$/).filter(() => {
        const [, major = 0, minor = 0, patch = 0] = rangeOf(project).map((part) => Number(part ?? 0));
        return major < 7 || (major === 7 && (minor < 2 || (minor === 2 && patch < 4)));
      }),
    change(project) {
      const text = project.read('package.json');
      const [, major] = rangeOf(project);
      if (major !== '7') return undefined;
      return project.with(
        'package.json',
        text.replace(ASTRO_RANGE, (all) => `${all.slice(0, all.lastIndexOf('"', all.length - 2))}"^7.2.4"`),
      );
    },
    write: '"astro": "^7.2.4" in package.json. Upgrade Astro first: npx @astrojs/upgrade',
  },
  {
    id: 'documents-bounds',
    since: '0.3.0',
    explain:
      'Option `static.documents` has bounds for all files, because hosts limit files and their size, in place of a number of entities. Each entity has two files.',
    find: (project) =>
      typeof literalOf(optionAt(project, DOCUMENTS)) === 'number' ? [placeOf(project, DOCUMENTS)] : [],
    change(project) {
      const entities = Number(literalOf(optionAt(project, DOCUMENTS)));
      const files = Math.max(2 * entities, 10_000);
      return withOption(project, DOCUMENTS, `{ files: ${files}, megabytes: 100 }`);
    },
    write: 'static: { documents: { files: 10000, megabytes: 100 } }',
  },
  ...(
    [
      [
        'static-snapshot',
        'queries',
        'A static build writes the snapshot only for scripts. A function at the edge needs the option.',
        /['"]astro-jsonapi\/edge['"]/,
      ],
      [
        'static-worker',
        'worker',
        'A static build writes the service worker only if it is asked to.',
        /jsonapi-worker\.js/,
      ],
      [
        'static-openapi',
        'openapi',
        'A static build writes the OpenAPI description only if it is asked to.',
        /\/jsonapi\/openapi\.json/,
      ],
      [
        'static-bodies',
        'bodies',
        'A static build writes each body once, in the file of its entity. Scripts that read collections may need them there too.',
        /\/jsonapi\/node\/[\w-]+\.json\b/,
      ],
      [
        'static-files',
        'files',
        'A static build copies the images that pages and bodies show. Scripts that read its JSON files may need all.',
        /\/(?:jsonapi\/\w+|api)\/[^\s'"`/]+(?:\/[^\s'"`/]+)?\.json\b/,
      ],
    ] as const
  ).map(
    ([id, name, explain, pattern]): Step => ({
      id,
      since: '0.3.0',
      explain,
      find: (project) =>
        isStatic(project) && optionAt(project, ['static', name]) === undefined
          ? placesOf(project, pattern, SCRIPT).slice(0, 1)
          : [],
      change: (project) => withOption(project, ['static', name], 'true'),
      write: `static: { ${name}: true }`,
    }),
  ),
  {
    id: 'acknowledge-push',
    since: '0.3.0',
    explain:
      'With `editing.git.pull`, responses arrive when the change is pushed, and after ten seconds they are a 202. `file` keeps the responses as they were.',
    find: (project) =>
      literalOf(optionAt(project, [...GIT, 'pull'])) === true &&
      optionAt(project, [...GIT, 'acknowledge']) === undefined &&
      [undefined, 'each'].includes(literalOf(optionAt(project, [...GIT, 'commit'])) as string | undefined)
        ? [placeOf(project, [...GIT, 'pull'])]
        : [],
    change: (project) => withOption(project, [...GIT, 'acknowledge'], "'file'"),
    write: "editing: { git: { acknowledge: 'file' } }",
  },
  {
    id: 'expose-content-commit',
    since: '0.3.0',
    explain:
      'Scripts of other origins can read the header `Content-Commit` only if `cors.exposeHeaders` names it.',
    find: (project) =>
      optionAt(project, ['cors'])?.type === 'ObjectExpression' &&
      optionAt(project, ['cors', 'exposeHeaders']) === undefined &&
      (optionAt(project, ['storage']) ?? optionAt(project, [...GIT, 'pull'])) !== undefined
        ? [placeOf(project, ['cors'])]
        : [],
    change: (project) =>
      withOption(project, ['cors', 'exposeHeaders'], "['Allow', 'Content-Commit', 'ETag', 'Location']"),
    write: "cors: { exposeHeaders: ['Allow', 'Content-Commit', 'ETag', 'Location'] }",
  },
  {
    id: 'commit-headers-of-accounts',
    since: '0.3.0',
    explain: '`Content-Commit` and `If-Commit-At-Least` are for accounts only.',
    find: (project) => placesOf(project, /If-Commit-At-Least|Content-Commit/i, /^(?!astro\.config)/),
    write:
      'the header `Authorization` with the token of an account that can read, in requests with these headers',
  },
  {
    id: 'postgres-tables',
    since: '0.3.0',
    explain: 'PostgreSQL compares text with a collation of ICU, in new tables. The first sync makes them.',
    find: (project) => (optionAt(project, ['engine']) === undefined ? [] : [placeOf(project, ['engine'])]),
    write: 'nothing. Run `npx astro-jsonapi sync` with the new version, and update all servers together',
  },
  {
    id: 'pages-of-one-language',
    since: '0.3.0',
    explain:
      'A page that does not exist in the default language is published in the language that it has. It was left out before.',
    find: (project) => (optionAt(project, NO_SOURCE) === undefined ? [] : [placeOf(project, NO_SOURCE)]),
    write: "globs of the pages to leave out in option `ignore`, and no `'language/no-source'` in `problems`",
  },
  {
    id: 'titles-of-headings',
    since: '0.3.0',
    explain:
      'Without a `title`, the title is a level-1 heading at the start of the body, else the file name. A heading of a section is not.',
    find: (project) =>
      [...project.content()]
        .filter((file) => hadSectionTitle(project, file))
        .map((file) => ({ file, line: 1 })),
    write: '`title` in the frontmatter, if the file name is not the title',
  },
  {
    id: 'unions-of-dates',
    since: '0.3.0',
    explain: 'Values of a union of `z.coerce.date()` and `z.string()` are strings, as the author wrote them.',
    find: (project) => placesOf(project, /z\s*\.union\(\s*\[\s*z\.(?:coerce\.)?date\(\)\s*,\s*z\.string\(\)/),
    write: '`.transform((value) => new Date(value))` after the union, if a page calls methods of a date',
  },
  {
    id: 'values-of-a-file',
    since: '0.3.0',
    explain: `The fields of a file may have ${MAX_FILE_VALUES} values. Files with more can be edited, but not grow.`,
    find: (project) =>
      [...project.content()].filter((file) => isLarge(project, file)).map((file) => ({ file, line: 1 })),
    write: 'the values in several files, if editors add to this one',
  },
  {
    id: 'files-as-resources',
    since: '0.3.0',
    explain:
      'Documents of JSON:API have the images and files of fields as relationships to `file--file`, like Drupal. Pages and plain JSON have them as before.',
    find(project) {
      const names = fileFields(project);
      if (names.length === 0 || literalOf(optionAt(project, ['drupal'])) === false) return [];
      return placesOf(project, new RegExp(`attributes\\??(?:\\.|\\[['"])(?:${names.join('|')})\\b`), SCRIPT);
    },
    write:
      '`include=field_cover` in the query, and the file in `included` with its `uri.url`; `alt` is in `meta` of the relationship. Or set `drupal: false`',
  },
  {
    id: 'owners-as-users',
    since: '0.3.0',
    explain:
      'Documents of JSON:API have the owner as a relationship to `user--user`, like Drupal. Pages and plain JSON have it as before.',
    find: (project) => placesOf(project, /attributes\??(?:\.|\[['"])uid\b/, SCRIPT),
    write: '`relationships.uid.data.meta.name` for the name of the account',
  },
  {
    id: 'order-of-numbers',
    since: '0.3.0',
    explain:
      'A list without `sort` is in the order of the numbers of Drupal, if content keeps them. It was in the order of ids.',
    find(project) {
      for (const file of project.content()) {
        const [before, ...after] = project.read(file).split(NUMBER);
        if (after.length > 0) return [{ file, line: (before ?? '').split('\n').length }];
      }
      return [];
    },
    write: '`sort=id` in requests that need the order of ids',
  },
  {
    id: 'empty-filter',
    since: '0.3.0',
    explain: '`filter=` without a value is a list without conditions. It was a 400.',
    find: (project) => placesOf(project, EMPTY_FILTER, SCRIPT),
    write: 'a condition, such as `filter[status]=1`, if the list should not have everything',
  },
];

const DOCUMENTS = ['static', 'documents'] as const;
const NO_SOURCE = ['problems', 'language/no-source'] as const;
const GIT = ['editing', 'git'] as const;
/** Of a node, a term, a media item, a comment, a user or anything else. */
const NUMBER = /^[{ ]*["']?drupal_internal__(?:[nmtcu]?id)["']?\s*:/m;
const EMPTY_FILTER = /[?&]filter=(?=[&#'"`\s])/;
const SCRIPT = /^(?!astro\.config).*\.(?:astro|svelte|vue|[cm]?[jt]sx?|html)$/;
const ASTRO_RANGE = /"astro"\s*:\s*"[\^~>=v ]*(\d{1,5})(?:\.(\d{1,5}))?(?:\.(\d{1,5}))?[^"]*"/;

function rangeOf(project: Project): readonly (string | undefined)[] {
  return ASTRO_RANGE.exec(project.files.get('package.json') ?? '') ?? [];
}

/** The names of fields that a schema declares as images or files. */
function fileFields({ files }: Project): readonly string[] {
  const declared = /\b(\w+)\s*:\s*(?:z\s*\.array\(\s*)?(?:image|file)\(\)/g;
  return [...files.values()].flatMap((text) => [...text.matchAll(declared)].map(([, name = '']) => name));
}

/** True for a site without an adapter. Option `static` has no effect on others. */
function isStatic(project: Project): boolean {
  const { config } = project;
  return (
    config !== undefined &&
    propertyOf(config.config, 'adapter') === undefined &&
    literalOf(optionAt(project, ['static'])) !== false &&
    literalOf(optionAt(project, ['api'])) !== false
  );
}

function withOption(project: Project, names: readonly string[], value: string): Project | undefined {
  const text = project.config && setOption(project.config, names, value);
  return text === undefined ? undefined : project.with(project.configFile, text);
}

/** True for a file that had the title of a heading that does not count any more. */
function hadSectionTitle(project: Project, file: string): boolean {
  const { data, language, body } = splitFile(project.read(file), formatOf(file) ?? 'json');
  if (body === null || headingAtStart(body) !== null) return false;
  const hasHeading = /^#{1,6}[ \t]+\S/m.test(body.replace(/^(```|~~~)[\s\S]*?^\1/gm, ''));
  return hasHeading && (readData(data, language).data.title ?? null) === null;
}

function isLarge(project: Project, file: string): boolean {
  const text = project.read(file);
  // Each value has a character and a separator at least.
  if (text.length < 2 * MAX_FILE_VALUES) return false;
  const { data, language } = splitFile(text, formatOf(file) ?? 'json');
  return data.length >= 2 * MAX_FILE_VALUES && countValues(readData(data, language).data) > MAX_FILE_VALUES;
}

function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countValues(each), 1);
}
