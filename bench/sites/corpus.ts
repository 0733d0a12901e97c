import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { xorshift } from '../data.ts';

/** A folder of Markdown in its own git repository. */
export interface Corpus {
  readonly name: string;
  /** The absolute path of the content folder. */
  readonly dir: string;
  readonly files: number;
  /** Bytes of all files. */
  readonly bytes: number;
  /** The bundle of most files, and its ids. */
  readonly bundle: string;
  readonly ids: readonly string[];
  /** Source text of a zod type by field, by bundle; null if types are inferred. */
  readonly schema: Readonly<Record<string, Readonly<Record<string, string>>>> | null;
}

const SEED = 20_261_101;
/** The number of commits: dates must differ, and the log must be read. */
const COMMITS = 20;
const SECTIONS = ['coast', 'city', 'forest', 'desk', 'market', 'harbour'] as const;
const WORDS = (
  'tide harbour gull lantern chart compass reef anchor drift current shore quay mast rope salt fog bell light ' +
  'storm swell keel pilot ledger measure table margin draft letter signal window orchard river bridge mill'
).split(' ');

const SCHEMA = {
  article: {
    title: 'z.string()',
    status: 'z.boolean()',
    field_author: "reference('person')",
    field_date: 'z.iso.date()',
    field_rating: 'z.int().nullish()',
    field_section: 'z.string()',
    field_tags: "z.array(reference('tag'))",
    field_teaser: 'z.string()',
  },
  person: { title: 'z.string()', field_email: 'z.email()' },
  tag: { title: 'z.string()', field_weight: 'z.int()' },
} as const satisfies Corpus['schema'];

/** Writes `files` files below `dir`: articles, with one person per forty and one tag per two hundred of them. */
export function generateCorpus(dir: string, files: number): Corpus {
  const random = xorshift(SEED);
  const below = (limit: number) => Math.floor(random() * limit);
  const words = (count: number) => Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' ');
  const people = Math.max(1, Math.floor(files / 40));
  const tags = Math.max(1, Math.floor(files / 200));
  const ids = Array.from({ length: files - people - tags }, (_, index) => `article-${index}`);
  let bytes = 0;

  function write(bundle: string, id: string, lines: readonly string[], body: string): void {
    const text = `---\n${lines.join('\n')}\n---\n\n${body}\n`;
    bytes += Buffer.byteLength(text);
    writeFileSync(path.join(dir, bundle, `${id}.md`), text);
  }

  function body(): string {
    const paragraphs = Array.from({ length: 8 + below(13) }, () => `${words(30 + below(50))}.`);
    return paragraphs.map((text, at) => (at % 3 === 2 ? `## ${words(3)}\n\n${text}` : text)).join('\n\n');
  }

  for (const bundle of Object.keys(SCHEMA)) mkdirSync(path.join(dir, bundle), { recursive: true });
  for (let index = 0; index < people; index++) {
    write(
      'person',
      `person-${index}`,
      [`title: ${words(2)}`, `field_email: p${index}@example.org`],
      words(20),
    );
  }
  for (let index = 0; index < tags; index++) {
    write('tag', `tag-${index}`, [`title: ${words(1)} ${index}`, `field_weight: ${below(100)}`], '');
  }
  for (const id of ids) {
    const some = new Set(Array.from({ length: 1 + below(4) }, () => `tag-${below(tags)}`));
    const lines = [
      `title: "${words(3 + below(4))}: ${words(2)}"`,
      `status: ${below(10) > 0}`,
      `field_author: person-${below(people)}`,
      `field_date: ${2000 + below(26)}-${String(1 + below(12)).padStart(2, '0')}-${String(1 + below(28)).padStart(2, '0')}`,
      ...(below(5) > 0 ? [`field_rating: ${1 + below(5)}`] : []),
      `field_section: ${SECTIONS[below(SECTIONS.length)]}`,
      'field_tags:',
      ...[...some].map((tag) => `  - ${tag}`),
      // One author in three folds long texts.
      ...(below(3) > 0
        ? [`field_teaser: ${words(22)}`]
        : ['field_teaser: >-', `  ${words(12)}`, `  ${words(10)}`]),
    ];
    write('article', id, lines, body());
  }
  commit(dir);
  return { name: `${files} generated files`, dir, files, bytes, bundle: 'article', ids, schema: SCHEMA };
}

/** Copies the files of real content, `<folder>/<bundle>/*.md`, into a new repository. */
export function copyCorpus(folder: string, dir: string): Corpus {
  const [bundle = ''] = readdirSync(folder);
  cpSync(path.join(folder, bundle), path.join(dir, bundle), { recursive: true });
  const names = readdirSync(path.join(dir, bundle)).filter((name) => name.endsWith('.md'));
  const sizes = names.map((name) => statSync(path.join(dir, bundle, name)).size);
  commit(dir);
  return {
    name: `${names.length} files of ${path.basename(folder)}`,
    dir,
    files: names.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    bundle,
    ids: names.map((name) => name.slice(0, -'.md'.length)),
    schema: null,
  };
}

/** The same kind of content with one file; the difference to its time is the cost of the content. */
export function singleFileCorpus(corpus: Corpus, dir: string): Corpus {
  const [id = ''] = corpus.ids;
  const name = path.join(corpus.bundle, `${id}.md`);
  for (const bundle of Object.keys(corpus.schema ?? { [corpus.bundle]: null })) {
    mkdirSync(path.join(dir, bundle), { recursive: true });
  }
  cpSync(path.join(corpus.dir, name), path.join(dir, name));
  commit(dir);
  return {
    ...corpus,
    name: 'one file',
    dir,
    files: 1,
    bytes: statSync(path.join(dir, name)).size,
    ids: [id],
  };
}

/** Commits the files below `dir` in `COMMITS` parts on different days. */
export function commit(dir: string): void {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    execFileSync(
      'git',
      ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', '-c', 'gc.auto=0', ...args],
      {
        cwd: dir,
        env: { ...process.env, ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: Number.POSITIVE_INFINITY,
      },
    );
  run(['init', '--quiet']);
  const files = run(['ls-files', '--others', '-z']).split('\0').filter(Boolean);
  const size = Math.ceil(files.length / COMMITS);
  for (let start = 0, day = 1; start < files.length; start += size, day++) {
    const date = `2026-01-${String(day).padStart(2, '0')}T12:00:00Z`;
    const list = path.join(dir, '.git', 'bench-files');
    writeFileSync(list, files.slice(start, start + size).join('\0'));
    run(['add', `--pathspec-from-file=${list}`, '--pathspec-file-nul']);
    run(['commit', '--quiet', '-m', `Part ${day}`], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
  }
}
