import { z } from 'zod';
import { closestName } from '../util/closest-name.ts';

/** Sentences about one problem of the options: the option, and its valid values from the descriptions in `schema`. */
export function describeIssue(
  schema: z.ZodObject,
  issue: z.core.$ZodIssue,
  input: unknown,
): readonly string[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownOption(schema, [...path, key]));
  }
  if (issue.code === 'invalid_union') {
    // Problems inside the object of `false | { … }` say more than "neither".
    const inner = issue.errors.find((issues) => issues.some(isInside));
    if (inner !== undefined) {
      return inner.flatMap((each) =>
        describeIssue(schema, { ...each, path: [...issue.path, ...each.path] }, input),
      );
    }
  }
  if (path.length === 0) return ['The options must be an object.'];
  const name = path.join('.');
  const value = isSecret(schema, path) ? 'its value' : written(input, path);
  if (issue.code === 'custom' && typeof issue.params?.detail === 'string') {
    return [`Option ${name}: ${issue.params.detail}`];
  }
  return issue.code === 'invalid_key'
    ? [`Option ${name} is not a valid name. Valid: ${validAt(schema, path.slice(0, -1))}.`]
    : [`Option ${name} cannot be ${value}. Valid: ${validAt(schema, path)}.`];
}

/** True if no message may show the value, such as the address of a database, which can have a password. */
function isSecret(schema: z.ZodType, path: readonly string[]): boolean {
  return path.some((_, index) => metadata(schemaAt(schema, path.slice(0, index + 1)), 'secret') === true);
}

/** Earlier names of options of the core. */
const REPLACED: Readonly<Record<string, string>> = {
  maxPageSize: 'pageSize.max',
  allowUnlimitedPage: 'pageSize.unlimited',
  published: 'bundles.<bundle>.publishedStatuses',
  plurals: 'bundles.<bundle>.plural',
  aliases: 'bundles.<bundle>.alias',
  fulltext: 'search',
  'search.warm': 'search.preload',
  maxAge: 'cache.maxAge',
  cacheSize: 'cache.memoryMb',
  health: 'healthPath',
  requestLog: 'logging.requests',
  log: 'logging.changes',
  markdown: 'markdownProcessor',
  readOnly: 'editing, which is off by default',
  requireMatch: 'editing.requireIfMatch',
  onRemove: 'editing.onDelete',
  'editing.roles': 'roles',
};

function unknownOption(schema: z.ZodObject, path: readonly string[]): string {
  const name = path.join('.');
  const replacement = Object.hasOwn(REPLACED, name) ? REPLACED[name] : replacementOf(schema, name);
  if (replacement !== undefined) return `Option ${name} is unknown. Use ${replacement}.`;
  const parent = path.slice(0, -1);
  const siblings = memberNames(schemaAt(schema, parent));
  const near = closestName(path.at(-1) ?? '', siblings);
  const guess = near === undefined ? '' : ` Did you mean ${[...parent, near].join('.')}?`;
  const valid = parent.length === 0 ? siblings.join(', ') : validAt(schema, parent);
  return `Option ${name} is unknown.${guess} Valid: ${valid}.`;
}

/** The option whose metadata has the earlier name. */
function replacementOf(schema: z.ZodType, name: string): string | undefined {
  for (const member of memberNames(schema)) {
    const option = memberOf(schema, member);
    if (metadata(option, 'replaces') === name) return member;
    const inner = option && replacementOf(option, name);
    if (inner !== undefined) return `${member}.${inner}`;
  }
  return undefined;
}

function isInside({ path, code }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === 'unrecognized_keys';
}

/** The value at a path, as written in the config. */
function written(input: unknown, path: readonly string[]): string {
  let value = input;
  for (const name of path)
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
}

/** The description of the innermost option on the path that has one. */
function validAt(options: z.ZodType, path: readonly string[]): string {
  for (let length = path.length; length > 0; length -= 1) {
    const description = metadata(schemaAt(options, path.slice(0, length)), 'description');
    if (typeof description === 'string') return description;
  }
  return '';
}

function schemaAt(options: z.ZodType, path: readonly string[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>(
    (schema, name) => (schema === undefined ? undefined : memberOf(schema, name)),
    options,
  );
}

function memberOf(schema: z.ZodType, name: string): z.ZodType | undefined {
  const inner = objectOf(schema);
  let member: unknown;
  if (inner instanceof z.ZodObject) member = inner.shape[name];
  if (inner instanceof z.ZodRecord) member = inner.valueType;
  if (inner instanceof z.ZodArray) member = inner.element;
  return member instanceof z.ZodType ? member : undefined;
}

function memberNames(schema: z.ZodType | undefined): readonly string[] {
  const inner = schema && objectOf(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function metadata(schema: z.ZodType | undefined, name: string): unknown {
  if (schema === undefined) return undefined;
  return schema.meta()?.[name] ?? metadata(wrapped(schema), name);
}

/** The schema of the members: without wrappers, and the object of `false | { … }`. */
function objectOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodUnion) {
    const object = schema.options.find((option) => option instanceof z.ZodObject);
    return object instanceof z.ZodType ? object : schema;
  }
  const inner = wrapped(schema);
  return inner === undefined ? schema : objectOf(inner);
}

function wrapped(schema: z.ZodType): z.ZodType | undefined {
  let inner: unknown;
  if (schema instanceof z.ZodPipe) inner = schema.in;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    inner = schema.unwrap();
  return inner instanceof z.ZodType ? inner : undefined;
}
