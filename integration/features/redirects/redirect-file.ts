import { addressOf, aliasFault } from '../../core/content/decode/alias.ts';
import type { Reference } from '../../core/content/model.ts';
import { emptyMap } from '../../core/source/data.ts';
import { type Diagnostic, isError, problem } from '../../core/source/diagnostic.ts';
import { type DataEdits, editData, readRaw } from '../../core/source/edit/edit-data.ts';
import { layoutOf } from '../../core/source/edit/layout.ts';
import type { Raw } from '../../core/source/edit/raw.ts';
import { writeData } from '../../core/source/edit/write-yaml.ts';
import { createLocator, readData } from '../../core/source/read-data.ts';
import type { StorageDriver } from '../../core/storage/driver.ts';
import { ConflictError } from '../../core/util/errors.ts';
import { isRecord, type JsonValue } from '../../core/util/json.ts';
import { REDIRECTS_FILE } from './routes.ts';

/** The target of a redirect: an entry at its present address, a path of the site, or an address elsewhere. */
export type Target =
  | ({ readonly kind: 'entity' } & Reference)
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

export interface Redirect {
  /** A path of the site without its base and without a slash at the end, decoded. */
  readonly from: string;
  /** The target as written. */
  readonly to: string;
  readonly target: Target;
}

export interface RedirectFile {
  readonly text: string;
  /** By old address. */
  readonly redirects: ReadonlyMap<string, Redirect>;
  /** About lines that are not redirects, or about a file that cannot be read. */
  readonly problems: readonly Diagnostic[];
  /** False if the file is not a map in YAML, such as one with conflict markers. */
  readonly isReadable: boolean;
}

type Files = Pick<StorageDriver, 'stat' | 'read'>;

/** Reads the file, again only if its size or its time has changed. Each fork of the content has its own files. */
export function createRedirectReader(): (files: Files) => Promise<RedirectFile> {
  const cached = new WeakMap<Files, { size: number; mtimeMs: number; file: RedirectFile }>();
  return async (files) => {
    const stored = await files.stat(REDIRECTS_FILE);
    if (stored === undefined) return EMPTY;
    const { size, mtimeMs } = stored;
    const known = cached.get(files);
    if (known?.size === size && known.mtimeMs === mtimeMs) return known.file;
    const file = await readRedirects(files);
    cached.set(files, { size, mtimeMs, file });
    return file;
  };
}

export async function readRedirects(files: Pick<Files, 'read'>): Promise<RedirectFile> {
  const bytes = await files.read(REDIRECTS_FILE);
  return bytes === undefined ? EMPTY : parseRedirects(new TextDecoder().decode(bytes));
}

export function parseRedirects(text: string): RedirectFile {
  const { data, problems } = readData(text, 'yaml');
  const entries: JsonValue = data ?? {};
  const errors = problems.filter(isError);
  if (errors.length > 0 || !isRecord(entries)) {
    const found =
      errors[0] ?? problem('error', 'redirect/unreadable', 'The file is not a list of redirects.');
    const hint = 'Each line has an old address, a colon, and a target.';
    const own = {
      ...found,
      severity: 'warning',
      code: 'redirect/unreadable',
      key: REDIRECTS_FILE,
      hint,
    } as const;
    return { text, redirects: new Map(), problems: [own], isReadable: false };
  }
  const locate = createLocator(text, 'yaml');
  const redirects = new Map<string, Redirect>();
  const faults: Diagnostic[] = [];
  for (const [written, value] of Object.entries(entries)) {
    const fault = fromFault(written) ?? toFault(value);
    if (fault === undefined && typeof value === 'string') {
      const from = addressOf(written);
      redirects.set(from, { from, to: value, target: targetOf(value)! });
    } else {
      const position = locate([written], 'key');
      const found = problem('warning', 'redirect/invalid', `\`${written}\`: ${fault}`, undefined, position);
      faults.push({ ...found, key: REDIRECTS_FILE });
    }
  }
  return { text, redirects, problems: faults, isReadable: true };
}

const EMPTY = parseRedirects('');

/** Why a text is not an old address. */
export function fromFault(from: string): string | undefined {
  const fault = aliasFault(from);
  return fault && `The address ${fault}.`;
}

/** Why a value is not a target. */
export function toFault(to: unknown): string | undefined {
  if (typeof to === 'string' && targetOf(to) !== undefined) return undefined;
  return 'A redirect leads to an entry such as node--article/moon, to a path such as /about, or to an https address.';
}

function targetOf(to: string): Target | undefined {
  if (to.startsWith('/')) {
    const end = to.search(/[?#]/);
    const fault = aliasFault(end === -1 ? to : to.slice(0, end));
    return fault === undefined && !UNSAFE.test(to) && to.isWellFormed()
      ? { kind: 'path', path: to }
      : undefined;
  }
  if (to.startsWith('https://')) {
    return URL.canParse(to) && !UNSAFE.test(to) ? { kind: 'url', url: new URL(to).href } : undefined;
  }
  const slash = to.indexOf('/');
  const [type, id] = [to.slice(0, slash), to.slice(slash + 1)];
  return slash > 0 && TYPE.test(type) && type.includes('--') && id !== ''
    ? { kind: 'entity', type, id }
    : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters.
const UNSAFE = /[\u0000-\u0020\u007f\\]/;
const TYPE = /^[\w-]+$/;

/** How the file names an entry. */
export function entityTarget({ type, id }: Reference): string {
  return `${type}/${id}`;
}

/** The path of a target without query and fragment, as old addresses are written; undefined for other targets. */
export function pathOf(target: Target): string | undefined {
  return target.kind === 'path' ? addressOf(target.path.split(/[?#]/, 1)[0] ?? '') : undefined;
}

/** The file with other targets of addresses; undefined removes a redirect. Throws ConflictError if it cannot be read. */
export function editRedirects({ text, isReadable }: RedirectFile, edits: DataEdits): Uint8Array {
  const hasLines = text.split('\n').some((line) => /^[^#]/.test(line.trim()));
  const before = hasLines ? readRaw(text, 'yaml') : emptyMap<Raw>();
  const layout = layoutOf(text);
  const isEmpty = before !== undefined && Object.keys(before).length === 0;
  const spelled = before && withSpellings(Object.keys(before), edits);
  const edited =
    !isReadable || before === undefined || spelled === undefined
      ? undefined
      : isEmpty
        ? withFinalBreak(text || HEADER) + writeData(added(edits), { language: 'yaml', layout })
        : editData({ text, language: 'yaml', layout }, before, spelled, () => undefined);
  if (edited === undefined) {
    const detail = `The file ${REDIRECTS_FILE} cannot be read, so it cannot take the redirect. Correct it by hand first.`;
    throw new ConflictError(detail, undefined, { code: 'redirects-unreadable' });
  }
  return new TextEncoder().encode(edited);
}

/** A line that follows must not become a part of a comment. */
function withFinalBreak(text: string): string {
  return /[\r\n]$/.test(text) ? text : `${text}\n`;
}

/** Characters of an old address. YAML takes no longer keys. */
export const MAX_FROM = 1000;

const HEADER = '# Old addresses and their targets: an entry, a path of the site, or an https address.\n';

/** The edits with the keys of the file, which may have slashes at the end. */
function withSpellings(keys: readonly string[], edits: DataEdits): DataEdits {
  const written = new Map(keys.map((key) => [addressOf(key), key]));
  return new Map([...edits].map(([from, to]) => [written.get(from) ?? from, to]));
}

function added(edits: DataEdits): Record<string, Raw> {
  const map = emptyMap<Raw>();
  for (const [from, to] of edits) if (to !== undefined) map[from] = to;
  return map;
}
