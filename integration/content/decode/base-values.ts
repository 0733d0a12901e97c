import { canonicalDateTime, dateTimeOfSeconds } from '../../source/date-time.ts';
import type { DataPath, Problem } from '../../source/diagnostic.ts';
import type { JsonValue } from '../../util/json.ts';
import type { BaseValues } from '../base-fields.ts';
import {
  hidingValue,
  meantPublicationKey,
  PUBLICATION_FLAGS,
  PUBLISH_DATES,
  UNPUBLISH_DATES,
} from '../publication.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';
import { aliasFault } from './alias.ts';

/** What the readers of one file share. */
export interface FileContext {
  readonly key: string;
  readonly data: Readonly<Record<string, JsonValue>>;
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

/** `validated` holds the base fields that a schema narrows, already checked. */
export function readBaseValues(
  context: FileContext,
  validated: Readonly<Record<string, unknown>> | null,
  declared: DeclaredBundle | undefined,
  heading: () => string | null,
): BaseValues {
  const value = (name: string): unknown =>
    (declared?.fields.has(name) ? validated?.[name] : context.data[name]) ?? null;
  const title = readText(context, 'title', value('title'));
  reportSchedule(context, declared);
  // A schema refuses keys that it does not name, and gives those that it names their meaning.
  if (declared === undefined) reportMeantFlags(context);
  return {
    title: title === null || title.trim() === '' ? (heading() ?? fileTitle(context.key)) : title,
    status: readStatus(context, value('status'), declared),
    hidden: readFlags(context, declared, value),
    created: readDateTime(context, 'created', value('created')),
    changed: readDateTime(context, 'changed', value('changed')),
    langcode: readText(context, 'langcode', value('langcode')),
    alias: readAlias(context, value('path')),
    uid: readText(context, 'uid', value('uid')),
  };
}

function readText(context: FileContext, name: string, value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
      return context.textAt([name], value);
    default:
      if (value !== null) {
        context.report('error', 'field/invalid', [name], `\`${name}\` is a text.`);
      }
      return null;
  }
}

/** A day is its midnight in UTC; a number is Unix seconds. */
function readDateTime(context: FileContext, name: string, value: unknown): string | null {
  if (value === null) {
    return null;
  }
  const canonical =
    value instanceof Date
      ? dateTimeOfSeconds(value.getTime() / 1000)
      : typeof value === 'number'
        ? dateTimeOfSeconds(value)
        : typeof value === 'string'
          ? SECONDS.test(value)
            ? dateTimeOfSeconds(Number(value))
            : canonicalDateTime(value.trim())
          : undefined;
  if (canonical === undefined) {
    context.report(
      'error',
      'date/invalid',
      [name],
      `\`${name}\` is not a date or time that exists.`,
      DATE_HINT,
    );
  }
  return canonical ?? null;
}

const SECONDS = /^-?\d{9,}$/;
const DATE_HINT = 'Write it as 2024-01-31, 2024-01-31T12:00:00+01:00 or in Unix seconds.';

/** Boolean, also written 0 or 1; or the text of a bundle that says in words how far its entities are. */
function readStatus(
  context: FileContext,
  value: unknown,
  declared: DeclaredBundle | undefined,
): boolean | string | null {
  const asText = declared?.fields.get('status')?.definition.kind === 'string';
  if (value === null || typeof value === 'boolean') {
    return value;
  }
  if (!asText && (value === 0 || value === 1)) {
    return value === 1;
  }
  if (typeof value === 'object') {
    context.report('error', 'field/invalid', ['status'], '`status` is true, false or a text.');
    return null;
  }
  if (declared !== undefined && !asText) {
    const hint = 'Write true or false, or declare it in the schema: status: z.string().';
    context.report('error', 'field/invalid', ['status'], '`status` is true or false.', hint);
    return null;
  }
  if (!asText && typeof value === 'string' && SWITCH_WORDS.test(value)) {
    context.report('error', 'field/invalid', ['status'], switchMessage('status', value), SWITCH_HINT);
    return null;
  }
  return typeof value === 'number' ? context.textAt(['status'], value) : String(value);
}

/**
 * Another value than true and false makes a flag an ordinary field, unless it can only be meant as one of these. A flag
 * that the schema declares counts as written and with its default.
 */
function readFlags(
  { data, report }: FileContext,
  declared: DeclaredBundle | undefined,
  value: (name: string) => unknown,
): boolean {
  for (const name of PUBLICATION_FLAGS) {
    const written = data[name];
    if (isMeantAsSwitch(written) && declared?.fields.has(name) !== true) {
      report('error', 'field/invalid', [name], switchMessage(name, written), SWITCH_HINT);
    }
  }
  return PUBLICATION_FLAGS.some((name) => [data[name], value(name)].includes(hidingValue(name)));
}

/** What can only be meant to hide an entity, but would not: `Draft: true`, `draft: please`. */
function reportMeantFlags({ data, report }: FileContext): void {
  for (const key of Object.keys(data)) {
    const meant = meantPublicationKey(key);
    if (meant !== undefined) {
      const message = `\`${key}\` has no meaning; it differs from \`${meant}\` in letter case.`;
      report('error', 'field/case', [key], message, `Write \`${meant}\`.`, 'key');
    }
  }
  const draft = data.draft ?? null;
  if (draft !== null && typeof draft !== 'boolean' && !isMeantAsSwitch(draft)) {
    report('error', 'field/invalid', ['draft'], '`draft` is neither true nor false.', SWITCH_HINT);
  }
}

/** Without a schema, what delays publication is a date: any other value would publish at once. */
function reportSchedule({ data, report }: FileContext, declared: DeclaredBundle | undefined): void {
  for (const name of [...PUBLISH_DATES, ...UNPUBLISH_DATES]) {
    const value = data[name] ?? null;
    const isFree = declared !== undefined || name === 'published' || value === null;
    if (isFree || (typeof value === 'string' && canonicalDateTime(value.trim()) !== undefined)) continue;
    const hint = 'Write it as 2024-01-31 or 2024-01-31T12:00:00+01:00.';
    report('error', 'date/invalid', [name], `\`${name}\` is not a date or time that exists.`, hint);
  }
}

/** Whether a value that is neither true nor false can only be meant as one of them. */
export function isMeantAsSwitch(value: unknown): value is string | number {
  return value === 0 || value === 1 || (typeof value === 'string' && SWITCH_WORDS.test(value));
}

// What YAML 1.1 took for true and false, YAML 1.2 takes for texts: an entity meant to be hidden would be published.
const SWITCH_WORDS = /^\s*(?:y|n|yes|no|on|off|true|false)\s*$/i;
const SWITCH_HINT = 'Write true or false, without quotes.';

function switchMessage(name: string, value: string | number): string {
  const kind = typeof value === 'number' ? 'a number' : 'a text in YAML 1.2';
  return `\`${name}\` is ${JSON.stringify(value)}, ${kind}, neither true nor false.`;
}

/** `path: /about` or `path: { alias: /about }`. */
function readAlias(context: FileContext, value: unknown): string | null {
  if (typeof value !== 'object' || value === null) {
    return checkAlias(context, readText(context, 'path', value));
  }
  const { alias = null, ...others } = value as Readonly<Record<string, JsonValue>>;
  if (Array.isArray(value) || (alias !== null && typeof alias !== 'string')) {
    context.report('error', 'field/invalid', ['path'], '`path` is a text or `{ alias }`.');
    return null;
  }
  for (const name of Object.keys(others)) {
    context.report(
      'warning',
      'field/unknown',
      ['path', name],
      `\`path.${name}\` is not kept.`,
      'Remove it.',
      'key',
    );
  }
  return checkAlias(context, alias);
}

function checkAlias(context: FileContext, alias: string | null): string | null {
  const fault = alias === null ? undefined : aliasFault(alias);
  if (fault === undefined) {
    return alias;
  }
  const hint = 'Write it as /journal/first.';
  context.report('error', 'alias/invalid', ['path'], `The alias \`${alias}\` ${fault}.`, hint);
  return null;
}

/** The title of an entity whose file gives it none. */
export function fileTitle(key: string): string {
  const segments = key.split('/');
  const name = (segments.at(-1) ?? key).replace(/\.[^.]*$/, '');
  return name === 'index' && segments.length > 2 ? (segments.at(-2) ?? name) : name;
}
