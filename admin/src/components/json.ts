/** One line for a folded value: `3 items`, `node--article ada`, `title, status`. */
export function summaryOf(value: object): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 item' : `${value.length} items`;
  const text = describe(value);
  return text.length > SUMMARY_LENGTH ? `${text.slice(0, SUMMARY_LENGTH - 1)}…` : text;
}

/**
 * How many levels to unfold so that about `lines` lines are visible: all levels if they fit, and at least two, so that
 * `data` shows its resources.
 */
export function unfoldedDepth(value: unknown, lines: number): number {
  if (lineCount(value, Infinity, lines) <= lines) return Infinity;
  let depth = 2;
  while (lineCount(value, depth + 1, lines) <= lines) depth++;
  return depth;
}

/** The lines of a value whose first `depth` levels are unfolded. Stops counting beyond `limit`. */
export function lineCount(value: unknown, depth: number, limit: number): number {
  if (depth === 0 || typeof value !== 'object' || value === null) return 1;
  const children = Object.values(value);
  if (children.length === 0) return 1;
  let lines = 2;
  for (const child of children) {
    if (lines > limit) break;
    lines += lineCount(child, depth - 1, limit - lines);
  }
  return lines;
}

/** A resource by its type and id, a relationship by its target, other objects by the names of their members. */
function describe(value: object): string {
  const { type, id, data } = value as {
    readonly type?: unknown;
    readonly id?: unknown;
    readonly data?: unknown;
  };
  if (typeof type === 'string' && typeof id === 'string') return `${type} ${id}`;
  const names = Object.keys(value);
  if (names.filter((name) => name !== 'links').join() === 'data') {
    return `data: ${typeof data === 'object' && data !== null ? summaryOf(data) : 'null'}`;
  }
  return names.join(', ');
}

const SUMMARY_LENGTH = 48;
