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

/** A file that content can use. */
export interface MediaFile extends StoredFile {
  readonly source: FileLocation['source'];
}

export interface FilesQuery {
  readonly page: Page;
  /** The entity or bundle in `beside`; undefined without the parameter. */
  readonly beside: string | undefined;
  /** True if only used files (or only unused ones) are listed; undefined for both. */
  readonly used: boolean | undefined;
  /** True for the text and the other filters of the query. */
  matches(file: MediaFile): boolean;
  compare(one: MediaFile, other: MediaFile): number;
}

export const FILE_SOURCES = ['content', 'public'] as const;
export const FILE_KINDS = ['image', 'video', 'audio', 'document'] as const;
export const FILE_SORTS = ['filename', 'filesize', 'changed'] as const;
const USES = ['true', 'false'] as const;
const FILTERS = { source: FILE_SOURCES, kind: FILE_KINDS, used: USES } as const;
const PARAMETERS: readonly string[] = ['search', 'filter', 'sort', 'page', 'beside'];

/**
 * Parses the query of `/jsonapi/_files`: `search`, `filter[source]`, `filter[kind]`, `filter[used]`, `sort`, `page` and `beside`.
 * Throws BadParameterError.
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
    matches(file) {
      const name = folded(file.key);
      return (
        (filters.source ?? file.source) === file.source &&
        (filters.kind ?? kindOf(file)) === kindOf(file) &&
        words.every((word) => name.includes(word))
      );
    },
    compare(one, other) {
      for (const { path, direction } of keys) {
        const order = COMPARISONS[path as keyof typeof COMPARISONS](one, other);
        if (order !== 0) return direction === 'DESC' ? -order : order;
      }
      return compareText(lastSegment(one.key), lastSegment(other.key)) || compareText(one.key, other.key);
    },
  };
}

const COMPARISONS: Readonly<
  Record<(typeof FILE_SORTS)[number], (one: MediaFile, other: MediaFile) => number>
> = {
  filename: (one, other) => compareText(lastSegment(one.key), lastSegment(other.key)),
  filesize: (one, other) => one.size - other.size,
  changed: (one, other) => one.mtimeMs - other.mtimeMs,
};

type Filters = { [name in keyof typeof FILTERS]?: (typeof FILTERS)[name][number] };

function parseFilters(node: QueryNode | undefined): Filters {
  if (node === undefined) return {};
  if (isValues(node)) throw new BadParameterError('filter', 'Write filter[kind]=image, for example.');
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(node)) {
    const parameter = parameterName(['filter', name]);
    const choices = Object.hasOwn(FILTERS, name) ? FILTERS[name as keyof typeof FILTERS] : undefined;
    if (choices === undefined) {
      const names = Object.keys(FILTERS).join(', ');
      throw new BadParameterError(parameter, `The filter '${name}' does not exist here. Filters: ${names}.`);
    }
    filters[name] = oneOf(parameter, textOf(parameter, value) ?? '', choices);
  }
  return filters;
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
