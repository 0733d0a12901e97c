import stringWidth from 'fast-string-width';
import { isBaseField } from '../content/base-fields.ts';
import type { DataDocument } from '../read/document-types.ts';
import type { Paint } from '../source/diagnostic.ts';
import { printable } from '../util/printable.ts';

/** Cells that a column takes at most. */
const MAX_CELLS = 40;
/** Cells of all columns where the answer goes to no terminal and fields are not named. */
const DEFAULT_COLUMNS = 120;
const GAP = '  ';

type Resource = Readonly<Record<string, unknown>>;

/** The primary data of a document as a table with its count below; one resource as a list of its fields. */
export function documentTable(
  document: DataDocument,
  { paint, columns }: { readonly paint: Paint; readonly columns: number | undefined },
): string {
  const { data, meta } = document as { readonly data?: unknown; readonly meta?: { readonly count?: number } };
  if (!Array.isArray(data)) {
    const fields = Object.entries(fieldsOf(data)).map(([name, value]) => [
      name,
      cell(value, columns ?? Infinity),
    ]);
    return drawTable(fields, paint, false);
  }
  const rows = data.map(fieldsOf);
  const names = fittingNames(rows, columns ?? DEFAULT_COLUMNS);
  const table = [names, ...rows.map((row) => names.map((name) => cell(row[name], MAX_CELLS)))];
  const count = meta?.count ?? rows.length;
  const footer = paint('quiet', `${rows.length} of ${count}`);
  return rows.length === 0 ? footer : `${drawTable(table, paint, true)}\n${footer}`;
}

/** Id, attributes and relationships by name, the title first and the other base fields last. */
function fieldsOf(resource: unknown): Resource {
  if (typeof resource !== 'object' || resource === null) return {};
  const {
    id,
    attributes = {},
    relationships = {},
  } = resource as {
    readonly id?: string;
    readonly attributes?: Resource;
    readonly relationships?: Readonly<Record<string, { readonly data?: unknown }>>;
  };
  const related = Object.entries(relationships).map(([name, { data }]) => [name, idsOf(data)]);
  const all = Object.entries({ ...attributes, ...Object.fromEntries(related) });
  const own = all.filter(([name]) => name === 'title' || !isBaseField(name));
  return { id, ...Object.fromEntries([...own, ...all]) };
}

function idsOf(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(idsOf);
  return typeof data === 'object' && data !== null && 'id' in data ? data.id : null;
}

/** Names in order as far as they fit; columns that are empty everywhere are left out, and so are objects. */
function fittingNames(rows: readonly Resource[], columns: number): readonly string[] {
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const told = all.filter((name) => rows.some((row) => isTold(row[name])));
  let used = 0;
  return told.filter((name) => {
    const width = Math.max(stringWidth(name), ...rows.map((row) => stringWidth(cell(row[name], MAX_CELLS))));
    if (used > 0 && used + width > columns) return false;
    used += width + GAP.length;
    return true;
  });
}

function isTold(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isTold);
  return value !== null && value !== undefined && typeof value !== 'object';
}

function cell(value: unknown, most: number): string {
  const text = Array.isArray(value) ? value.map((item) => plain(item)).join(', ') : plain(value);
  const line = printable(text.replace(/\s+/g, ' ').trim());
  if (stringWidth(line) <= most) return line;
  let out = '';
  for (const { segment } of graphemes.segment(line)) {
    if (stringWidth(out) + stringWidth(segment) >= most) break;
    out += segment;
  }
  return `${out}…`;
}

const graphemes = new Intl.Segmenter();

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Rows as lines of columns; the first row, or the first column, is the head. */
export function drawTable(rows: readonly (readonly string[])[], paint: Paint, headed: boolean): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ''))));
  return rows
    .map((row, index) =>
      row
        .map((text, at) => {
          const padding = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - stringWidth(text));
          const named = headed ? index === 0 : at === 0;
          return (named ? paint('strong', text) : text) + padding;
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}
