/** What a piece of JSON text is, for its colour. */
export type JsonToken = 'key' | 'string' | 'number' | 'boolean' | 'null' | 'punctuation';

/** One node of a JSON text as shown: a scalar on its line, or something that opens and closes. */
export interface JsonNode {
  /** Of an object's member; absent for array items and the root. */
  readonly key: string | undefined;
  /** The text of a scalar, `"Ada"`; absent for what has children. */
  readonly scalar: { readonly token: JsonToken; readonly text: string; readonly value: unknown } | undefined;
  readonly open: '{' | '[' | '';
  readonly close: '}' | ']' | '';
  /** Members or items. */
  readonly size: number;
  /** `3 items`, `node--article ada`, `type, id`: said in place of what is folded away. */
  readonly summary: string;
  /** Made anew at each call, so that what is folded costs nothing. */
  children(): readonly JsonNode[];
}

const SUMMARY_LENGTH = 48;

/** A parsed JSON value as a tree to show. */
export function jsonNode(value: unknown, key?: string): JsonNode {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return {
      key,
      scalar: undefined,
      open: '[',
      close: ']',
      size: items.length,
      summary: items.length === 1 ? '1 item' : `${items.length} items`,
      children: () => items.map((item) => jsonNode(item)),
    };
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    return {
      key,
      scalar: undefined,
      open: '{',
      close: '}',
      size: members.length,
      summary: clipped(describe(members)),
      children: () => members.map(([name, member]) => jsonNode(member, name)),
    };
  }
  const scalar = { token: tokenOf(value), text: JSON.stringify(value) ?? 'null', value };
  return { key, scalar, open: '', close: '', size: 0, summary: '', children: () => [] };
}

/** How many lines a value takes when everything is open; counting stops at `limit`. */
export function lineCount(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (children.length === 0) return 1;
  let lines = 2;
  for (const child of children) {
    if (lines >= limit) return lines;
    lines += lineCount(child, limit - lines);
  }
  return lines;
}

/**
 * How deep to open a value so that about `lines` lines are shown: everything where it fits, else as many
 * levels as do, but always the first two, so that `data` shows its resources.
 */
export function openDepth(value: unknown, lines: number): number {
  if (lineCount(value, lines + 1) <= lines) return Number.POSITIVE_INFINITY;
  let depth = 2;
  while (linesAt(value, depth + 1, lines + 1) <= lines) depth++;
  return depth;
}

function linesAt(value: unknown, depth: number, limit: number): number {
  if (depth === 0 || typeof value !== 'object' || value === null) return 1;
  let lines = 2;
  for (const child of Object.values(value)) {
    if (lines >= limit) break;
    lines += linesAt(child, depth - 1, limit - lines);
  }
  return lines;
}

/** Resources are known by type and id, relationships by what they point to, other objects by their members. */
function describe(members: readonly (readonly [string, unknown])[]): string {
  const values = new Map(members);
  const type = values.get('type');
  const id = values.get('id');
  if (typeof type === 'string' && typeof id === 'string') return `${type} ${id}`;
  const [only, ...others] = members.filter(([name]) => name !== 'links');
  if (others.length === 0 && only?.[0] === 'data') return `data: ${jsonNode(only[1]).summary || 'null'}`;
  return members.map(([name]) => name).join(', ');
}

function clipped(text: string): string {
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH - 1)}…` : text;
}

function tokenOf(value: unknown): JsonToken {
  if (value === null) return 'null';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}
