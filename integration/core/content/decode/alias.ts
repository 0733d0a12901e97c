import { compareText } from '../../util/text.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../model.ts';

/** A parsed alias pattern such as `/journal/[created:Y]/[title]`: literal text and tokens. */
export type AliasPattern = readonly (string | AliasToken)[];

interface AliasToken {
  /** `id`, or the public name of a field. */
  readonly field: string;
  /** Year, month or day of a date. */
  readonly part: 'Y' | 'm' | 'd' | null;
}

/** Parses a pattern that starts with `/` and has `name` or `name:Y` in brackets; undefined if it is invalid. */
export function parseAliasPattern(text: string): AliasPattern | undefined {
  const parts = text.split(TOKEN).map((part, index): string | AliasToken | undefined => {
    if (index % 2 === 0) return /[[\]]/.test(part) ? undefined : part;
    const [field = '', letter] = part.split(':', 2);
    return { field, part: letter === 'Y' || letter === 'm' || letter === 'd' ? letter : null };
  });
  const pattern = parts.filter((part) => part !== undefined);
  const literal = pattern.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  return pattern.length === parts.length && aliasFault(literal) === undefined ? pattern : undefined;
}

/** `[name]` or `[name:Y]`, captured without the brackets. */
const TOKEN = /\[([^[\]:]+(?::[Ymd])?)\]/;

/** The alias of an entity, as written or from its bundle's pattern; null without one. */
export function aliasOf({ values }: Entity): string | null {
  const path = values.path ?? null;
  const alias = typeof path === 'object' && path !== null && 'alias' in path ? path.alias : null;
  return typeof alias === 'string' ? alias : null;
}

/** The alias without trailing slashes: aliases with the same address lead to the same page. */
export function addressOf(alias: string): string {
  let end = alias.length;
  while (end > 1 && alias[end - 1] === '/') end -= 1;
  return alias.slice(0, end);
}

/** Sorts entities with the same alias; the path leads to the first. */
export function compareHolders(a: Entity, b: Entity): number {
  const byTime = (a.aliasSince ?? 0) - (b.aliasSince ?? 0);
  return byTime || compareText(a.type, b.type) || compareText(a.id, b.id);
}

/** The alias that a pattern produces; null if one of its tokens is empty. */
export function aliasByPattern(
  pattern: AliasPattern,
  type: ResourceType,
  id: string,
  values: Readonly<Record<string, FieldValue>>,
): string | null {
  let alias = '';
  for (const part of pattern) {
    const text = typeof part === 'string' ? part : tokenText(part, type, id, values);
    if (text === '' && typeof part !== 'string') return null;
    alias += text;
  }
  return alias;
}

/** Tokens that never have a value on this type. */
export function uselessTokens(pattern: AliasPattern, type: ResourceType): readonly string[] {
  return pattern.flatMap((token) => {
    if (typeof token === 'string') return [];
    const field = token.field === 'id' ? undefined : type.fields.get(token.field);
    const isUseful =
      token.field === 'id' ? token.part === null : field !== undefined && isUsable(field, token);
    return isUseful ? [] : [`[${token.field}${token.part === null ? '' : `:${token.part}`}]`];
  });
}

/** Why an alias is invalid, as the end of a sentence. */
export function aliasFault(alias: string): string | undefined {
  return ALIAS_FAULTS.find(([isFaulty]) => isFaulty(alias))?.[1];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters.
const UNSAFE = /[\u0000-\u001f\u007f?#\\]/;
const ALIAS_FAULTS: readonly (readonly [(alias: string) => boolean, string])[] = [
  [(alias) => !alias.startsWith('/'), 'does not start with `/`'],
  // A browser reads the next segment as a host name.
  [(alias) => alias.startsWith('//'), 'starts with two slashes'],
  [(alias) => UNSAFE.test(alias) || !alias.isWellFormed(), 'has characters that a path cannot contain'],
  [(alias) => alias.split('/').some((part) => part === '.' || part === '..'), 'has a `.` or `..` segment'],
];

function isUsable(field: FieldDefinition, { part }: AliasToken): boolean {
  // Account names are hidden from anonymous readers, and aliases are not.
  if (field.list || field.name === 'uid') return false;
  const isDate = field.kind === 'date' || field.kind === 'datetime';
  return part === null ? isDate || PLAIN_KINDS.has(field.kind) : isDate;
}

const PLAIN_KINDS: ReadonlySet<string> = new Set<FieldDefinition['kind']>([
  'string',
  'integer',
  'number',
  'decimal',
  'boolean',
  'reference',
]);

function tokenText(
  token: AliasToken,
  type: ResourceType,
  id: string,
  values: Readonly<Record<string, FieldValue>>,
): string {
  if (token.field === 'id') return token.part === null ? id : '';
  const field = type.fields.get(token.field);
  const value = values[token.field] ?? null;
  if (field === undefined || value === null || !isUsable(field, token)) return '';
  switch (typeof value) {
    case 'string':
      if (field.kind === 'date' || field.kind === 'datetime') return dateText(value, token.part);
      return field.kind === 'string' ? slug(value) : value;
    case 'number':
    case 'boolean':
      return String(value);
    default:
      return 'id' in value && typeof value.id === 'string' ? value.id : '';
  }
}

/** Uses the day as written, without converting its offset. */
function dateText(value: string, part: AliasToken['part']): string {
  const day = value.slice(0, 10);
  return part === null ? day : (day.split('-')['Ymd'.indexOf(part)] ?? '');
}

/** `Où est zéro ?` → `ou-est-zero`: letters and digits of any script, without accents on Latin letters. */
function slug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
