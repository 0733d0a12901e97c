import type { FileLocation } from '../../core/content/file-location.ts';
import type { Page } from '../../core/engine/ast.ts';
import {
  parsePage,
  parseSort,
  type QueryRules,
  rejectParameters,
} from '../../core/engine/parse/parse-query.ts';
import {
  isValues,
  lastValue,
  parameterName,
  parseQueryString,
  type QueryNode,
} from '../../core/engine/parse/query-string.ts';
import type { StoredFile } from '../../core/storage/driver.ts';
import { mediaTypeOf } from '../../core/storage/file-source.ts';
import { lastSegment } from '../../core/storage/key.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import { compareText } from '../../core/util/text.ts';
import type { FileUser } from './file-users.ts';
import { isFolderUri } from './folders.ts';

/** A file that content can use. */
export interface MediaFile extends StoredFile {
  readonly source: FileLocation['source'];
}

/** A file with what the actor may know about its use. */
export interface ListedFile {
  readonly file: MediaFile;
  readonly users: readonly FileUser[];
  /** The texts of its last use first. */
  readonly alts: readonly string[];
  /** The text of the last use in each language. */
  readonly altsByLanguage: Readonly<Record<string, string>>;
  /** When an entity that uses it was changed last, in milliseconds since the Unix epoch; 0 if nothing uses it. */
  readonly usedMs: number;
}

export interface FilesQuery {
  readonly page: Page;
  /** The entity or bundle in `beside`; undefined without the parameter. */
  readonly beside: string | undefined;
  /** True if only used files (or only unused ones) are listed; undefined for both. */
  readonly used: boolean | undefined;
  /** A URI such as `content://article`, which selects the files in the folder and below it; undefined for all. */
  readonly folder: string | undefined;
  /** True for the filters of the query that need no use, except the folder. */
  matches(file: MediaFile): boolean;
  /** True if each word is in the path or in an alternative text. */
  hasWords(file: ListedFile): boolean;
  compare(one: ListedFile, other: ListedFile): number;
}

export const FILE_SOURCES = ['content', 'public'] as const;
export const FILE_KINDS = ['image', 'video', 'audio', 'document'] as const;
export const FILE_SORTS = ['filename', 'filesize', 'changed', 'used'] as const;
const USES = ['true', 'false'] as const;
/** The choices of each filter; undefined for the URI of a folder. */
const FILTERS = { source: FILE_SOURCES, kind: FILE_KINDS, used: USES, folder: undefined } as const;
const PARAMETERS: readonly string[] = ['search', 'filter', 'sort', 'page', 'beside'];

/**
 * Parses the query of `/jsonapi/_files`: `search`, `filter[source]`, `filter[kind]`, `filter[used]`, `filter[folder]`, `sort`,
 * `page` and `beside`. Throws BadParameterError.
 */
export function parseFilesQuery(query: string, rules: QueryRules): FilesQuery {
  const { filter, sort, page, search, beside, ...others } = parseQueryString(query, rules.limits);
  rejectParameters(others, PARAMETERS);
  const filters = parseFilters(filter);
  const words = folded(textOf('search', search) ?? '').split(/\s+/);
  const ignored: string[] = [];
  const keys = parseSort(sort, rules.limits, ignored);
  for (const { path, parameter = 'sort' } of keys) oneOf(parameter, path, FILE_SORTS);
  const parsedPage = parsePage(page, rules, ignored);
  const [without] = ignored;
  if (without !== undefined) throw new BadParameterError(without, `${without} has no effect here.`);
  return {
    page: parsedPage,
    beside: textOf('beside', beside),
    used: filters.used === undefined ? undefined : filters.used === 'true',
    folder: filters.folder,
    matches: (file) =>
      (filters.source ?? file.source) === file.source && (filters.kind ?? kindOf(file)) === kindOf(file),
    hasWords({ file, alts }) {
      const texts = folded([file.key, ...alts].join('\n'));
      return words.every((word) => texts.includes(word));
    },
    compare(one, other) {
      for (const { path, direction } of keys) {
        const order = COMPARISONS[path as keyof typeof COMPARISONS](one, other);
        if (order !== 0) return direction === 'DESC' ? -order : order;
      }
      return COMPARISONS.filename(one, other) || compareText(one.file.key, other.file.key);
    },
  };
}

const COMPARISONS: Readonly<
  Record<(typeof FILE_SORTS)[number], (one: ListedFile, other: ListedFile) => number>
> = {
  filename: ({ file }, other) => compareText(lastSegment(file.key), lastSegment(other.file.key)),
  filesize: ({ file }, other) => file.size - other.file.size,
  changed: ({ file }, other) => file.mtimeMs - other.file.mtimeMs,
  used: (one, other) => one.usedMs - other.usedMs || COMPARISONS.changed(one, other),
};

type Filters = {
  [name in keyof typeof FILTERS]?: (typeof FILTERS)[name] extends readonly (infer Choice)[] ? Choice : string;
};

function parseFilters(node: QueryNode | undefined): Filters {
  if (node === undefined) return {};
  if (isValues(node)) throw new BadParameterError('filter', 'Write filter[kind]=image, for example.');
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(node)) {
    const parameter = parameterName(['filter', name]);
    if (!Object.hasOwn(FILTERS, name)) {
      const names = Object.keys(FILTERS).join(', ');
      throw new BadParameterError(parameter, `The filter '${name}' does not exist here. Filters: ${names}.`);
    }
    const text = textOf(parameter, value) ?? '';
    const choices = FILTERS[name as keyof typeof FILTERS];
    filters[name] = choices === undefined ? folderUri(parameter, text) : oneOf(parameter, text, choices);
  }
  return filters;
}

function folderUri(parameter: string, text: string): string {
  if (isFolderUri(text)) return text;
  throw new BadParameterError(
    parameter,
    `${parameter} must be the URI of a folder, for example content://article.`,
  );
}

function oneOf<Choice extends string>(parameter: string, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new BadParameterError(
    parameter,
    `${parameter} cannot be '${value.slice(0, MAX_ECHOED)}'. Choices: ${choices.join(', ')}.`,
  );
}

const MAX_ECHOED = 80;

function textOf(parameter: string, node: QueryNode | undefined): string | undefined {
  const value = lastValue(node);
  if (node === undefined || value !== undefined) return value;
  throw new BadParameterError(parameter, `${parameter} has one value: ${parameter}=…`);
}

function kindOf(file: MediaFile): (typeof FILE_KINDS)[number] {
  const [type] = mediaTypeOf(file.key).split('/', 1);
  return FILE_KINDS.find((kind) => kind === type) ?? 'document';
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().trim();
}
