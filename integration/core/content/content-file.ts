import { emptyMap, NO_NUMERALS, pathKey } from '../source/data.ts';
import {
  createProblemList,
  type DataPath,
  FILE_START,
  isError,
  type Position,
  type Problem,
  positionIn,
} from '../source/diagnostic.ts';
import type { FileFormat } from '../source/formats.ts';
import { headingAtStart } from '../source/heading.ts';
import type { StoredFile } from '../storage/driver.ts';
import { readBytes, type StoredBytes } from '../storage/stored-bytes.ts';
import type { JsonValue } from '../util/json.ts';
import { shortened } from '../util/text.ts';
import type { BaseValues } from './base-fields.ts';
import { type FileContext, readBaseValues, titleFromPath } from './decode/base-values.ts';
import { validateDeclared } from './decode/validate.ts';
import type { ContentLayout, EntityKey } from './file-key.ts';
import { type Languages, languageCodes, languageNamed } from './languages.ts';
import { type Body, bodyText } from './model.ts';
import { entityId } from './owner.ts';
import { byteLength, createFileLocator, type ParseResult } from './parse-file.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';
import { usualLanguages } from './usual-names.ts';

/** Larger files are not read. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** The data of one file that depends on no other file. */
export interface ContentFile {
  readonly key: string;
  /** Of a translation: the id or the path of its source. */
  readonly id: string;
  /** The id that the path implies. */
  readonly pathId: string;
  /** Undefined for a source. */
  readonly translation: TranslationMark | undefined;
  /** Set for a translation that is the source of its entity, because no file is its source. */
  readonly standsIn?: TranslationMark;
  readonly revision: string;
  readonly mtimeMs: number;
  /** The first known time of the file. */
  readonly createdMs: number;
  readonly format: FileFormat;
  readonly bytes: StoredBytes;
  readonly body: Body | null;
  readonly mayHoldImages: boolean;
  /** Relative paths of Markdown files that the body may link to. */
  readonly links: readonly string[];
  readonly wikiLinks: number;
  /** The key that sets the id; undefined if the path does. */
  readonly idKey: 'id' | 'uuid' | undefined;
  /** Data as written; empty with a schema. */
  readonly data: Readonly<Record<string, JsonValue>>;
  /** `ParsedData.numerals`. */
  readonly numerals: ReadonlyMap<string, string>;
  readonly base: BaseValues;
  /** Output of the schema by public field name; null without a schema. */
  readonly declared: Readonly<Record<string, unknown>> | null;
  /** Of a file that was unpublished since the start: the keys about its publication that it had before. */
  readonly shown?: ReadonlySet<string> | undefined;
}

/** A translation: its language, and how it names its source. */
export interface TranslationMark {
  readonly language: string;
  readonly by: 'path' | 'id';
  /** True if `translationOf` names the source. */
  readonly isWritten: boolean;
}

/** The translation as the source of its entity. */
export function asSource(file: ContentFile): ContentFile {
  return { ...file, translation: undefined, ...(file.translation && { standsIn: file.translation }) };
}

/** The settings of a site that decide how its files are read. */
export interface SiteReading extends ContentLayout {
  /** IANA name of the zone of dates without an offset. Default: UTC. */
  readonly timeZone?: string | undefined;
}

export interface ReadResult {
  /** Undefined if a problem is an error. */
  readonly file: ContentFile | undefined;
  /** The readable part of a file with errors in its fields. Its references and files are checked too. */
  readonly draft?: ContentFile;
  readonly problems: readonly Problem[];
}

/** Runs every check that needs no other file. */
export function readContentFile(
  { key, mtimeMs, createdMs = mtimeMs }: StoredFile,
  bytes: StoredBytes,
  { type, format, pathId, language }: EntityKey,
  declared: DeclaredBundle | undefined,
  { digest, parsed, problems: parseProblems }: ParseResult,
  { languages, timeZone }: SiteReading,
): ReadResult {
  if (parsed === undefined) return { file: undefined, problems: parseProblems };
  const list = createProblemList();
  const locate = createFileLocator(bytes, format);
  const { data, bodyStart, bodyEnd } = parsed;
  const numerals = parsed.numerals === undefined ? NO_NUMERALS : new Map(parsed.numerals);
  const context: FileContext = {
    data,
    timeZone,
    textAt: (path, value) => numerals.get(pathKey(path)) ?? String(value),
    report(severity, code, path, message, hint, part = 'value') {
      list.add({ severity, code, message, hint, path }, () => locate(path, part));
    },
  };
  const langcode = languages && readLangcode(context, language, languages);
  const translation = languages && readTranslation(context, langcode, language, languages);
  const role = { isTranslation: translation !== undefined, mayTranslate: languages !== undefined };
  const validated =
    declared === undefined ? null : validateDeclared(context, declared, bodyStart !== null, role);
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
  const heading = () => headingAtStart(body === null ? '' : bodyText(body));
  const base = readBaseValues(context, validated, declared, () => heading() ?? titleFromPath(pathId));
  const idKey = idKeyOf(data);
  const id = translation?.source ?? readId(context, idKey, pathId);
  const problems = list.problems.length === 0 ? parseProblems : [...parseProblems, ...list.problems];
  if (id === undefined) return { file: undefined, problems };
  const file: ContentFile = {
    key,
    id: translation === undefined ? entityId(type, id) : id,
    pathId,
    translation: translation?.mark,
    revision: digest,
    mtimeMs,
    createdMs,
    format,
    bytes,
    body,
    mayHoldImages: parsed.images === true,
    links: parsed.links ?? NO_LINKS,
    wikiLinks: parsed.wikiLinks ?? 0,
    idKey,
    data: validated === null ? data : NO_DATA,
    numerals,
    base: langcode === undefined ? base : { ...base, langcode },
    declared: validated,
  };
  return problems.some(isError) ? { file: undefined, draft: file, problems } : { file, problems };
}

/** Finds the positions of a file's keys and values. */
export function locatorOf({
  bytes,
  format,
}: ContentFile): (path: DataPath, part?: 'key' | 'value') => Position {
  return createFileLocator(bytes, format);
}

/** The position of an offset in the text of the body, in UTF-16 units. */
export function bodyPosition({ bytes, body }: ContentFile, offset: number): Position {
  if (body === null) return FILE_START;
  const upToBody = wholeText.decode(readBytes(bytes, 0, body.start));
  return positionIn(upToBody + bodyText(body), upToBody.length + offset);
}

const wholeText = new TextDecoder('utf-8', { ignoreBOM: true });

/** Code of the language of a file, in its path, in `langcode`, or in `lang` and the like. Reports other languages than those of the site. */
function readLangcode(
  { data, report }: FileContext,
  language: string | undefined,
  languages: Languages,
): string | undefined {
  const written = data.langcode ?? null;
  if (typeof written !== 'string') {
    const usual = usualLanguages(data).flatMap((name) => languageNamed(languages, name)?.code ?? []);
    return language ?? usual[0];
  }
  const code = languageNamed(languages, written)?.code;
  if (code === undefined) {
    const message = `\`${written}\` is not a language of the site.`;
    report(
      'error',
      'language/unknown',
      ['langcode'],
      message,
      `Languages in astro.config: ${languageCodes(languages)}.`,
    );
  } else if (language !== undefined && code !== language) {
    const message = `\`langcode\` is \`${code}\`, but the path of the file says \`${language}\`.`;
    report('error', 'language/conflict', ['langcode'], message, 'Remove `langcode`, or move the file.');
  }
  return language ?? code;
}

/**
 * How a translation names its source: by `translationOf`, by a path with the language, or by an `id` beside such a path.
 * Undefined for a source: a file without a language in its path, or with the default language.
 */
function readTranslation(
  { data, report, textAt }: FileContext,
  langcode: string | undefined,
  language: string | undefined,
  languages: Languages,
): { readonly mark: TranslationMark; readonly source: string | undefined } | undefined {
  const written = data.translationOf ?? null;
  if (written === null) {
    if (language === undefined || language === languages.default) return undefined;
    const by = idKeyOf(data) === undefined ? 'path' : 'id';
    return { mark: { language, by, isWritten: false }, source: undefined };
  }
  const isName = typeof written === 'string' || typeof written === 'number';
  if (!isName) {
    report('error', 'language/source', ['translationOf'], '`translationOf` must be the id of the source.');
  }
  if (langcode === undefined) {
    const message = 'The translation has no language.';
    report(
      'error',
      'language/missing',
      ['translationOf'],
      message,
      `Add \`langcode\`: ${languageCodes(languages)}.`,
    );
  }
  const source = isName ? textAt(['translationOf'], written) : '';
  return { mark: { language: langcode ?? '', by: 'id', isWritten: true }, source };
}

function idKeyOf(data: ContentFile['data']): ContentFile['idKey'] {
  return (data.id ?? null) !== null ? 'id' : (data.uuid ?? null) !== null ? 'uuid' : undefined;
}

/** `id`, else `uuid`, else the path; exactly as written. */
function readId(
  { data, report, textAt }: FileContext,
  idKey: ContentFile['idKey'],
  pathId: string,
): string | undefined {
  const value = idKey === undefined ? pathId : data[idKey];
  if (typeof value !== 'string' && typeof value !== 'number') {
    report('error', 'id/invalid', [idKey ?? 'id'], 'An id must be a string or a number.');
    return undefined;
  }
  // Other tools write addresses, such as `/docs/about`.
  const written = idKey === undefined ? pathId : textAt([idKey], value).replaceAll(OUTER_SLASHES, '');
  const id = written === '' && value !== '' ? pathId : written;
  const fault = ORDINARY_ID.test(id) ? undefined : ID_FAULTS.find(([isFaulty]) => isFaulty(id));
  if (fault === undefined) return id;
  const quoted = JSON.stringify(shortened(id, MAX_QUOTED_ID));
  report('error', 'id/invalid', idKey === undefined ? [] : [idKey], `The id ${quoted} ${fault[1]}.`);
  return undefined;
}

const OUTER_SLASHES = /^\/+|(?<!\/)\/+$/g;
const NO_LINKS: ContentFile['links'] = [];
const NO_DATA: ContentFile['data'] = Object.freeze(emptyMap());
const MAX_QUOTED_ID = 60;
/** Limit of a path segment: with `.json` after it, it is a file name. */
export const MAX_ID_SEGMENT_BYTES = 250;
export const MAX_ID_BYTES = 1000;
/** Matches ids without any fault. */
const ORDINARY_ID = /^[\w-][\w.-]{0,200}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters.
const UNSAFE = /[\u0000-\u001f\u007f\\]/;
/** Ids that cannot be part of a URL. */
const ID_FAULTS: readonly (readonly [(id: string) => boolean, string])[] = [
  [(id) => id.trim() === '', 'is empty'],
  [(id) => UNSAFE.test(id) || !id.isWellFormed(), 'has characters that a URL cannot contain'],
  [
    (id) => id.split('/').some((part) => part.trim() === '' || part === '.' || part === '..'),
    'has an empty, `.` or `..` segment',
  ],
  [
    (id) => id.split('/').some((part) => byteLength(part) > MAX_ID_SEGMENT_BYTES),
    `has more than ${MAX_ID_SEGMENT_BYTES} bytes without a slash`,
  ],
  [(id) => byteLength(id) > MAX_ID_BYTES, `has more than ${MAX_ID_BYTES} bytes`],
];
