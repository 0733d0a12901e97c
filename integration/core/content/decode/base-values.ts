import { dateTimeOfMilliseconds, unixTime } from '../../source/date-time.ts';
import type { DataPath, Problem } from '../../source/diagnostic.ts';
import { readDateTime } from '../../source/written-date.ts';
import { lastSegment } from '../../storage/key.ts';
import { isRecord, type JsonValue } from '../../util/json.ts';
import type { BaseValues } from '../base-fields.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';
import { withoutDate } from '../usual-names.ts';
import { aliasFault } from './alias.ts';
import {
  hidingValue,
  misspelledPublicationKey,
  PUBLICATION_FLAGS,
  PUBLISH_DATES,
  UNPUBLISH_DATES,
} from './publication.ts';

/** Shared by the readers of one file. */
export interface FileContext {
  readonly data: Readonly<Record<string, JsonValue>>;
  /** IANA name of the zone of dates without an offset. Default: UTC. */
  readonly timeZone: string | undefined;
  /** A scalar as its author wrote it. */
  textAt(path: DataPath, value: string | number | boolean): string;
  report(
    severity: Problem['severity'],
    code: string,
    path: DataPath,
    message: string,
    hint?: string,
    part?: 'key' | 'value',
  ): void;
}

/** `validated` holds the base fields that the schema narrows; `usualTitle` returns the title of a file that sets none. */
export function readBaseValues(
  context: FileContext,
  validated: Readonly<Record<string, unknown>> | null,
  declared: DeclaredBundle | undefined,
  usualTitle: () => string,
): BaseValues {
  const value = (name: string): unknown =>
    (declared?.fields.has(name) ? validated?.[name] : context.data[name]) ?? null;
  const written = value('title');
  const isObject = isRecord(written);
  if (isObject)
    context.report('info', 'title/ignored', ['title'], '`title` is not a string, so it is not the title.');
  const title = isObject ? null : readString(context, 'title', written);
  const hasTitle = title !== null && title.trim() !== '';
  reportSchedule(context, declared);
  // A schema rejects unknown keys and defines the others.
  if (declared === undefined) reportMisspelledFlags(context);
  return {
    title: hasTitle ? title : usualTitle(),
    hasTitle,
    status: readStatus(context, value('status'), declared),
    hidden: readFlags(context, declared, value),
    created: readBaseDate(context, 'created', value('created')),
    changed: readBaseDate(context, 'changed', value('changed')),
    langcode: readString(context, 'langcode', value('langcode')),
    alias: readAlias(context, value('path')),
    uid: readString(context, 'uid', value('uid')),
  };
}

function readString(context: FileContext, name: string, value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return context.textAt([name], value);
    default:
      if (value !== null) context.report('error', 'field/invalid', [name], `\`${name}\` must be a string.`);
      return null;
  }
}

/** A day means its midnight in the site's time zone; a number means Unix seconds or milliseconds. */
function readBaseDate(context: FileContext, name: string, value: unknown): string | null {
  if (value === null || value === '') return null;
  const canonical = toDateTime(value, context.timeZone);
  if (canonical === undefined) {
    const hint = 'Write it as 2024-01-31, 2024-01-31T12:00:00+01:00 or in Unix seconds or milliseconds.';
    context.report('error', 'date/invalid', [name], invalidDate(name), hint);
  }
  return canonical ?? null;
}

function toDateTime(value: unknown, timeZone: string | undefined): string | undefined {
  if (value instanceof Date) return dateTimeOfMilliseconds(value.getTime());
  if (typeof value === 'number') return unixTime(value);
  if (typeof value !== 'string') return undefined;
  return UNIX_TIME.test(value) ? unixTime(Number(value)) : readDateTime(value, { timeZone });
}

const UNIX_TIME = /^-?\d{9,}$/;

function invalidDate(name: string): string {
  return `\`${name}\` is not a valid date or time.`;
}

/** A boolean, also written 0 or 1; or a string in bundles whose status is one. */
function readStatus(
  context: FileContext,
  value: unknown,
  declared: DeclaredBundle | undefined,
): boolean | string | null {
  const isString = declared?.fields.get('status')?.definition.kind === 'string';
  const invalid = (message: string, hint?: string): null => {
    context.report('error', 'field/invalid', ['status'], message, hint);
    return null;
  };
  if (value === null || typeof value === 'boolean') return value;
  if (!isString && (value === 0 || value === 1)) return value === 1;
  if (typeof value === 'object') return invalid('`status` must be true, false or a string.');
  if (declared !== undefined && !isString) {
    const hint = 'Write true or false, or declare it in the schema: status: z.string().';
    return invalid('`status` must be true or false.', hint);
  }
  if (!isString && typeof value === 'string' && BOOLEAN_WORD.test(value)) {
    return invalid(notBoolean('status', value), BOOLEAN_HINT);
  }
  return typeof value === 'number' ? context.textAt(['status'], value) : String(value);
}

/**
 * A flag with another value than true and false is an ordinary field, unless that value can only mean true or false. A
 * flag that the schema declares counts both as written and with its default.
 */
function readFlags(
  { data, report }: FileContext,
  declared: DeclaredBundle | undefined,
  value: (name: string) => unknown,
): boolean {
  for (const name of PUBLICATION_FLAGS) {
    const written = data[name];
    if (isBooleanLike(written) && declared?.fields.has(name) !== true) {
      report('error', 'field/invalid', [name], notBoolean(name, written), BOOLEAN_HINT);
    }
  }
  return PUBLICATION_FLAGS.some((name) => [data[name], value(name)].includes(hidingValue(name)));
}

/** Reports keys that were meant to hide an entity, but would not: `Draft: true`, `draft: please`. */
function reportMisspelledFlags({ data, report }: FileContext): void {
  for (const key of Object.keys(data)) {
    const flag = misspelledPublicationKey(key);
    if (flag !== undefined) {
      const message = `\`${key}\` has no effect, because it differs from \`${flag}\` in letter case.`;
      report('error', 'field/case', [key], message, `Write \`${flag}\`.`, 'key');
    }
  }
  const draft = data.draft ?? null;
  if (draft !== null && typeof draft !== 'boolean' && !isBooleanLike(draft)) {
    report('error', 'field/invalid', ['draft'], '`draft` must be true or false.', BOOLEAN_HINT);
  }
}

/** Without a schema, a publish date that is not a date would publish at once. */
function reportSchedule({ data, report }: FileContext, declared: DeclaredBundle | undefined): void {
  if (declared !== undefined) return;
  for (const name of [...PUBLISH_DATES, ...UNPUBLISH_DATES]) {
    const value = data[name] ?? null;
    // `published` is also a flag.
    if (name === 'published' || value === null) continue;
    if (typeof value === 'string' && readDateTime(value) !== undefined) continue;
    const hint = 'Write it as 2024-01-31 or 2024-01-31T12:00:00+01:00.';
    report('error', 'date/invalid', [name], invalidDate(name), hint);
  }
}

/** True for values that are not booleans, but can only be meant as one. */
export function isBooleanLike(value: unknown): value is string | number {
  return value === 0 || value === 1 || (typeof value === 'string' && BOOLEAN_WORD.test(value));
}

// Booleans in YAML 1.1, strings in YAML 1.2: an entity that is meant to be hidden would be published.
const BOOLEAN_WORD = /^\s*(?:y|n|yes|no|on|off|true|false)\s*$/i;
const BOOLEAN_HINT = 'Write true or false, without quotes.';

function notBoolean(name: string, value: string | number): string {
  const kind = typeof value === 'number' ? 'a number' : 'a string in YAML 1.2';
  return `\`${name}\` must be true or false; ${JSON.stringify(value)} is ${kind}.`;
}

/** `path: /about` or `path: { alias: /about }`. Zola writes `path = "about"`. */
function readAlias(context: FileContext, value: unknown): string | null {
  if (typeof value !== 'object' || value === null) {
    const text = readString(context, 'path', value);
    return validAlias(context, text !== null && RELATIVE_PATH.test(text) ? `/${text}` : text);
  }
  const { alias = null, ...others } = value as Readonly<Record<string, JsonValue>>;
  if (Array.isArray(value) || (alias !== null && typeof alias !== 'string')) {
    context.report('error', 'field/invalid', ['path'], '`path` must be a string or `{ alias }`.');
    return null;
  }
  for (const name of Object.keys(others)) {
    const message = `\`path.${name}\` is ignored.`;
    context.report('warning', 'field/unknown', ['path', name], message, 'Remove it.', 'key');
  }
  return validAlias(context, alias);
}

/** Does not start with a slash or a scheme. */
const RELATIVE_PATH = /^(?!\/|[a-z][a-z0-9+.-]*:)./i;

function validAlias(context: FileContext, alias: string | null): string | null {
  const fault = alias === null ? undefined : aliasFault(alias);
  if (fault === undefined) return alias;
  const message = `The alias \`${alias}\` ${fault}.`;
  context.report('error', 'alias/invalid', ['path'], message, 'Write it like /journal/first.');
  return null;
}

/** The title of an entity without a title and a heading: the file name, without a date before it. `pathId` is the id that the path of its file implies. */
export function titleFromPath(pathId: string): string {
  return withoutDate(lastSegment(pathId));
}
