import { isStrayDate } from '../source/date-time.ts';
import { type DataPath, type Position, type Problem, FILE_START } from '../source/diagnostic.ts';
import { firstHeading } from '../source/heading.ts';
import { emptyMap, pathKey } from '../source/parsed-data.ts';
import { createProblemList } from '../source/problem-list.ts';
import type { StoredFile } from '../storage/driver.ts';
import type { StoredBytes } from '../storage/stored-bytes.ts';
import type { JsonValue } from '../util/json.ts';
import { type BaseValues, isBaseField } from './base-fields.ts';
import { type FileContext, readBaseValues } from './decode/base-values.ts';
import { validateDeclared } from './decode/validate.ts';
import { type Body, bodyText } from './model.ts';
import { type ParseResult, byteLength, createFileLocator, isError, writtenTexts } from './parse-file.ts';
import { type FileFormat, idFromKey } from './resource-type.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** Larger files are not read. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** Everything that can be said of one file without knowing any other. */
export interface ContentFile {
  readonly key: string;
  readonly id: string;
  readonly revision: string;
  readonly mtimeMs: number;
  readonly format: FileFormat;
  readonly bytes: StoredBytes;
  readonly body: Body | null;
  /** Whether the body may hold images. */
  readonly mayHoldImages: boolean;
  /** Key that gives its id; undefined where the path does. */
  readonly idKey: 'id' | 'uuid' | undefined;
  /** As written, by key; empty with a schema. */
  readonly data: Readonly<Record<string, JsonValue>>;
  readonly written: ReadonlyMap<string, string>;
  readonly base: BaseValues;
  /** What the schema made of its fields, by public name; null without a schema. */
  readonly declared: Readonly<Record<string, unknown>> | null;
}

export interface ReadResult {
  /** Undefined where a problem is an error. */
  readonly file: ContentFile | undefined;
  /** What could be read of a file with errors in its fields: what it refers to can be checked all the same. */
  readonly draft?: ContentFile;
  readonly problems: readonly Problem[];
}

/** Checks all that can be checked of a file without other files. `parsed` is what its bytes say. */
export function readContentFile(
  stored: StoredFile,
  bytes: StoredBytes,
  format: FileFormat,
  declared: DeclaredBundle | undefined,
  { digest, parsed, problems: found }: ParseResult,
): ReadResult {
  if (parsed === undefined) {
    return { file: undefined, problems: found };
  }
  const list = createProblemList();
  const locate = createFileLocator(bytes, format);
  const problems = (): readonly Problem[] =>
    list.problems.length === 0 ? found : [...found, ...list.problems];
  const { data, bodyStart, bodyEnd } = parsed;
  const written = writtenTexts(parsed);
  const context: FileContext = {
    key: stored.key,
    data,
    textAt: (path, value) => written.get(pathKey(path)) ?? String(value),
    report(severity, code, path, message, hint, part = 'value') {
      list.add(severity, code, message, () => locate(path, part), hint, path);
    },
  };
  const validated = declared === undefined ? null : validateDeclared(context, declared, bodyStart !== null);
  if (declared === undefined) reportStrayDates(context);
  const body: Body | null =
    bodyStart === null
      ? null
      : {
          file: bytes,
          start: bodyStart,
          end: bodyEnd,
          format: format === 'mdx' ? 'mdx' : 'markdown',
          summary: typeof data.summary === 'string' ? data.summary : null,
        };
  const base = readBaseValues(context, validated, declared, () =>
    firstHeading(body === null ? '' : bodyText(body)),
  );
  const idKey = idKeyOf(data);
  const id = readId(context, idKey);
  if (id === undefined) {
    return { file: undefined, problems: problems() };
  }
  const { key, mtimeMs } = stored;
  const revision = digest;
  const file: ContentFile = {
    key,
    id,
    revision,
    mtimeMs,
    format,
    bytes,
    body,
    mayHoldImages: parsed.images === true,
    idKey,
    data: validated === null ? data : NO_DATA,
    written,
    base,
    declared: validated,
  };
  return problems().some(isError)
    ? { file: undefined, draft: file, problems: problems() }
    : { file, problems: problems() };
}

/** Finds frontmatter keys and values of a file. */
export function locatorOf({
  bytes,
  format,
}: ContentFile): (path: DataPath, part?: 'key' | 'value') => Position {
  return createFileLocator(bytes, format);
}

/** A file that is not read at all. */
export function refused(
  code: string,
  message: string,
  hint?: string,
  position: Position = FILE_START,
): ReadResult {
  const problem: Problem = {
    severity: 'error',
    code,
    ...position,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
  return { file: undefined, problems: [problem] };
}

/** Without a schema nothing says that a field holds dates; one that does not exist makes texts of them all. */
function reportStrayDates({ data, report }: FileContext): void {
  for (const [name, value] of Object.entries(data)) {
    const items: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    items.forEach((item, index) => {
      if (!isBaseField(name) && typeof item === 'string' && isStrayDate(item)) {
        const message = `\`${item}\` looks like a date, but does not exist: it is a text.`;
        const hint = 'Correct it; all dates of the field are texts as long as one of them is.';
        report('warning', 'date/stray', item === value ? [name] : [name, index], message, hint);
      }
    });
  }
}

function idKeyOf(data: ContentFile['data']): ContentFile['idKey'] {
  return (data.id ?? null) !== null ? 'id' : (data.uuid ?? null) !== null ? 'uuid' : undefined;
}

/** `id`, else `uuid`, else the path; exactly as written. */
function readId(context: FileContext, name: ContentFile['idKey']): string | undefined {
  const written = name === undefined ? idFromKey(context.key) : context.data[name];
  if (typeof written !== 'string' && typeof written !== 'number') {
    context.report('error', 'id/invalid', [name ?? 'id'], 'An id is a text or a number.');
    return undefined;
  }
  const id = name === undefined ? String(written) : context.textAt([name], written);
  const fault = ORDINARY_ID.test(id) ? undefined : ID_FAULTS.find(([wrong]) => wrong(id));
  if (fault !== undefined) {
    context.report(
      'error',
      'id/invalid',
      name === undefined ? [] : [name],
      `The id ${JSON.stringify(id.length > SHOWN_OF_ID ? `${id.slice(0, SHOWN_OF_ID)}…` : id)} ${fault[1]}.`,
    );
    return undefined;
  }
  return id;
}

const NO_DATA: ContentFile['data'] = Object.freeze(emptyMap());
const SHOWN_OF_ID = 60;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNFIT = /[\u0000-\u001f\u007f\\]/;
/** Bytes of a part of an id between slashes: with `.json` behind it, it is a file name. And of an id in all. */
export const MAX_ID_SEGMENT_BYTES = 250;
export const MAX_ID_BYTES = 1000;
/** None of the faults. */
const ORDINARY_ID = /^[\w-][\w.-]{0,200}$/;
/** What an address could not carry. */
const ID_FAULTS: readonly (readonly [(id: string) => boolean, string])[] = [
  [(id) => id === '', 'is empty'],
  [(id) => UNFIT.test(id) || !id.isWellFormed(), 'has characters that an address cannot carry'],
  [
    (id) => id.split('/').some((part) => part === '' || part === '.' || part === '..'),
    'has an empty, `.` or `..` segment',
  ],
  [
    (id) => id.split('/').some((part) => byteLength(part) > MAX_ID_SEGMENT_BYTES),
    `has more than ${MAX_ID_SEGMENT_BYTES} bytes without a slash`,
  ],
  [(id) => byteLength(id) > MAX_ID_BYTES, `has more than ${MAX_ID_BYTES} bytes`],
];
