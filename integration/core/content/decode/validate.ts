import type { z } from 'zod';
import { compactMap, emptyMap } from '../../source/data.ts';
import type { DataPath } from '../../source/diagnostic.ts';
import { readInstant } from '../../source/written-date.ts';
import { closestName } from '../../util/closest-name.ts';
import { isRecord, type JsonValue } from '../../util/json.ts';
import { BASE_FIELDS } from '../base-fields.ts';
import { publicName } from '../resource-type.ts';
import type { DeclaredBundle, DeclaredField } from '../schema/schema-fields.ts';
import { type FileContext, isBooleanLike } from './base-values.ts';
import { isPublicationFlag } from './publication.ts';

/** Checks the data of one file against its bundle's schema. Returns the schema's output by public field name. */
export function validateDeclared(
  context: FileContext,
  declared: DeclaredBundle,
  hasBody: boolean,
  { isTranslation, mayTranslate }: TranslationRole,
): Readonly<Record<string, unknown>> {
  const keys = new Map<string, string>();
  /** Fields that another key of the file is most similar to. */
  const misspelled = new Set<string>();
  for (const key of Object.keys(context.data)) {
    const name = declared.fields.has(key) ? key : publicName(key, declared.options);
    const other = keys.get(name);
    if (other !== undefined) {
      const message = `\`${other}\` and \`${key}\` both set the field \`${name}\`.`;
      context.report('error', 'field/clash', [key], message, 'Keep one of them.', 'key');
    } else if (declared.fields.has(name)) {
      keys.set(name, key);
    } else if (!isBuiltIn(key, context.data, hasBody) && !(mayTranslate && key === 'translationOf')) {
      const near = declared.open
        ? reportMisspelled(context, key, declared.fields)
        : reportUnknown(context, key, [key], [...declared.fields.keys(), ...WRITABLE_BASE_FIELDS]);
      if (near !== undefined && (context.data[near] ?? null) === null) misspelled.add(near);
    }
  }

  const { fields, rules } = declared;
  let valid = true;
  // Rules across fields run only if each field is valid.
  const fieldContext: FileContext =
    rules === undefined
      ? context
      : {
          ...context,
          report(...problem) {
            valid &&= problem[0] !== 'error';
            context.report(...problem);
          },
        };
  const output = emptyMap<unknown>();
  let isWhole = true;
  for (const [name, field] of fields) {
    const key = keys.get(name) ?? field.definition.key;
    if (isTranslation && field.definition.untranslated === true && (context.data[key] ?? null) === null) {
      output[name] = null;
      isWhole = false;
    } else if (field.definition.required && misspelled.has(name)) {
      // The unknown key was reported with this name.
      output[name] = null;
      isWhole = false;
    } else {
      output[name] = validateField(fieldContext, key, field, declared.open);
    }
  }
  // Rules across fields can need the values in the source.
  if (valid && isWhole && rules !== undefined) checkRules(context, fields, rules, keys);
  return compactMap(output, fields.size);
}

/** What a file may be on a site with languages. */
export interface TranslationRole {
  readonly isTranslation: boolean;
  readonly mayTranslate: boolean;
}

/** Checks the rules of a bundle across its fields. `keys` are the keys in the file by field name. */
function checkRules(
  context: FileContext,
  fields: DeclaredBundle['fields'],
  rules: z.ZodObject,
  keys: ReadonlyMap<string, string>,
): void {
  const written = new Map<PropertyKey, string>();
  const input = emptyMap<unknown>();
  for (const [name, { definition, type }] of fields) {
    const key = keys.get(name) ?? definition.key;
    const value = context.data[key] ?? null;
    written.set(definition.key, key);
    if (value !== null) input[definition.key] = prepare(context, value, [key], definition);
    else if (type._zod.optin === undefined) input[definition.key] = null;
  }
  try {
    for (const issue of rules.safeParse(input).error?.issues ?? []) {
      const [first, ...steps] = issue.path;
      const key = first === undefined ? undefined : written.get(first);
      reportIssue(context, key === undefined ? [] : [key, ...steps.map(pathStep)], issue);
    }
  } catch (error) {
    reportFailure(context, [], 'The rules of the bundle fail on these values', error);
  }
}

const WRITABLE_BASE_FIELDS = Object.keys(BASE_FIELDS).filter((name) => name !== 'body');
const BUILT_IN: ReadonlySet<string> = new Set(['id', ...WRITABLE_BASE_FIELDS]);

/** Keys that a schema does not need to declare. */
function isBuiltIn(key: string, data: Readonly<Record<string, JsonValue>>, hasBody: boolean): boolean {
  const value = data[key] ?? null;
  switch (key) {
    case 'uuid':
      return (data.id ?? null) === null;
    case 'summary':
      return hasBody && (value === null || typeof value === 'string');
    default:
      if (!isPublicationFlag(key)) return BUILT_IN.has(key);
      // Strings that mean true or false are reported with the base fields.
      return value === null || typeof value === 'boolean' || isBooleanLike(value);
  }
}

function validateField(
  context: FileContext,
  key: string,
  { definition, type, isPlain }: DeclaredField,
  open: boolean,
): unknown {
  const value = context.data[key] ?? null;
  if (isPlain(value)) return value;
  if (value === null && definition.required) {
    context.report('error', 'field/required', [key], `The field \`${key}\` is missing.`, 'Add it.', 'key');
    return null;
  }
  let result: z.ZodSafeParseResult<unknown>;
  try {
    // An empty key, `field_date:`, means the same as a missing one.
    const missing = type._zod.optin === undefined ? null : undefined;
    result = type.safeParse(value === null ? missing : prepare(context, value, [key], definition));
  } catch (error) {
    reportFailure(context, [key], `The schema of \`${key}\` fails on this value`, error);
    return null;
  }
  if (result.success) {
    if (!open) reportDropped(context, value, result.data, [key]);
    return result.data;
  }
  for (const issue of result.error.issues) {
    reportIssue(context, [key, ...issue.path.map(pathStep)], issue);
  }
  return null;
}

/**
 * Passes numbers of decimals and references as written: `9.50` is not `9.5`, `007` is not `7`. Passes dates for `z.date()`
 * as `Date`, because `z.coerce.date()` reads strings in the time zone of the machine.
 */
function prepare(
  context: FileContext,
  value: JsonValue,
  path: DataPath,
  definition: DeclaredField['definition'],
): unknown {
  if (typeof value === 'string' && definition.instant === true) {
    const instant = readInstant(value, context);
    // Other strings may match another type of a union.
    return definition.kind === 'json' && Number.isNaN(instant.getTime()) ? value : instant;
  }
  if (typeof value === 'number' && (definition.kind === 'decimal' || definition.kind === 'reference')) {
    return context.textAt(path, value);
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) =>
      prepare(context, item, [...path, index], definition),
    );
  }
  if (
    typeof value === 'object' &&
    value !== null &&
    (definition.kind === 'object' || definition.kind === 'json')
  ) {
    const copy = emptyMap<unknown>();
    for (const [name, item] of Object.entries(value)) {
      const part = definition.properties[name];
      copy[name] = part === undefined ? item : prepare(context, item, [...path, name], part);
    }
    return copy;
  }
  return value;
}

/** Reports a custom check that throws. */
function reportFailure(context: FileContext, path: DataPath, sentence: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  context.report('error', 'schema/failed', path, `${sentence}: ${reason}.`);
}

function pathStep(step: PropertyKey): string | number {
  return typeof step === 'number' ? step : String(step);
}

function reportIssue(context: FileContext, path: DataPath, issue: z.core.$ZodIssue): void {
  const value = valueAt(context.data, path);
  const isDate = issue.code === 'invalid_type' && issue.expected === 'date';
  const reason = isDate
    ? 'expected a date.'
    : issue.message.replace(/^Invalid input: /, '').replace(/\.?$/, '.');
  const actual = isShort(value) ? ` Found: ${JSON.stringify(value)}.` : '';
  const message = path.length === 0 ? reason : `\`${path.join('.')}\`: ${reason}${actual}`;
  context.report('error', 'field/invalid', path, message, hintFor(context, path, issue, value));
}

function hintFor(
  context: FileContext,
  path: DataPath,
  issue: z.core.$ZodIssue,
  value: unknown,
): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'date') return FORMAT_HINTS.date;
      return issue.expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')
        ? `Put it in quotes: "${context.textAt(path, value)}".`
        : undefined;
    case 'invalid_format':
      return FORMAT_HINTS[issue.format];
    case 'invalid_value': {
      const near = typeof value === 'string' ? closestName(value, issue.values.map(String)) : undefined;
      return near === undefined ? undefined : `Did you mean \`${near}\`?`;
    }
    default:
      return undefined;
  }
}

const FORMAT_HINTS: Readonly<Record<string, string>> = {
  date: 'Write a calendar day that exists, such as 2024-01-31.',
  datetime: 'Write it as 2024-01-31T18:00:00+01:00.',
};

function valueAt(data: unknown, path: DataPath): unknown {
  let value = data;
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return value;
}

/** True if a value fits into a message. */
function isShort(value: unknown): boolean {
  return (
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= 60)
  );
}

/** Reports keys of objects that zod dropped because the schema does not name them. */
function reportDropped(context: FileContext, written: unknown, output: unknown, path: DataPath): void {
  if (Array.isArray(written) && Array.isArray(output)) {
    for (const [index, item] of written.entries()) {
      reportDropped(context, item, output[index], [...path, index]);
    }
  } else if (isRecord(written) && isRecord(output)) {
    for (const [name, item] of Object.entries(written)) {
      if (Object.hasOwn(output, name)) {
        reportDropped(context, item, output[name], [...path, name]);
      } else {
        reportUnknown(context, name, [...path, name], Object.keys(output));
      }
    }
  }
}

/** Returns the most similar choice. */
function reportUnknown(
  context: FileContext,
  name: string,
  path: DataPath,
  choices: readonly string[],
): string | undefined {
  const near = closestName(name, choices);
  const hint = near === undefined ? 'Declare it in schema.ts, or remove it.' : `Did you mean \`${near}\`?`;
  const message = `There is no field \`${path.join('.')}\` in the schema.`;
  context.report('error', 'field/unknown', path, message, hint, 'key');
  return near;
}

/** Reports a key that is not a field if it is similar to a field that the file lacks, which it returns. */
function reportMisspelled(
  context: FileContext,
  key: string,
  fields: DeclaredBundle['fields'],
): string | undefined {
  const missing = [...fields.keys()].filter((name) => (context.data[name] ?? null) === null);
  const near = closestName(key, missing);
  if (near === undefined) return undefined;
  const severity = fields.get(near)?.definition.required ? 'error' : 'warning';
  const message = `There is no field \`${key}\` in the schema.`;
  context.report(severity, 'field/unknown', [key], message, `Did you mean \`${near}\`?`, 'key');
  return near;
}
