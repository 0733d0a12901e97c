import stringWidth from 'fast-string-width';
import { isBaseField } from '../core/content/base-fields.ts';
import type { DataDocument } from '../core/read/document-types.ts';
import type { Paint } from '../core/source/diagnostic.ts';
import { printable } from '../core/util/text.ts';

/** The maximum width of a column, in terminal cells. */
const MAX_CELLS = 40;
/** The width of a table that is not printed to a terminal. */
const DEFAULT_COLUMNS = 120;
const GAP = '  ';

type Resource = Readonly<Record<string, unknown>>;

/** A document as a table with the count below it; a single resource as a list of its fields. */
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
  const all = printableNames(rows);
  const names = fittingNames(all, rows, columns ?? DEFAULT_COLUMNS);
  const others = all.filter((name) => !names.includes(name));
  const table = [names, ...rows.map((row) => names.map((name) => cell(row[name], MAX_CELLS)))];
  const count = meta?.count ?? rows.length;
  const room =
    others.length === 0 ? '' : `. No room for ${others.join(', ')}: use a wider terminal or --json`;
  const footer = paint('quiet', `${rows.length} of ${count}${room}`);
  return rows.length === 0 ? footer : `${drawTable(table, paint, true)}\n${footer}`;
}

/** The id, attributes, and relationships of a resource: the title first, the other base fields last. */
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

/** All columns but those without a value and those of objects. */
function printableNames(rows: readonly Resource[]): readonly string[] {
  const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return all.filter((name) => rows.some((row) => isPrintable(row[name])));
}

/** The columns that fit. */
function fittingNames(
  names: readonly string[],
  rows: readonly Resource[],
  columns: number,
): readonly string[] {
  let used = 0;
  return names.filter((name) => {
    const width = Math.max(stringWidth(name), ...rows.map((row) => stringWidth(cell(row[name], MAX_CELLS))));
    if (used > 0 && used + width > columns) return false;
    used += width + GAP.length;
    return true;
  });
}

function isPrintable(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isPrintable);
  return value !== null && value !== undefined && typeof value !== 'object';
}

function cell(value: unknown, width: number): string {
  const text = Array.isArray(value) ? value.map((item) => plain(item)).join(', ') : plain(value);
  const line = printable(text.replace(/\s+/g, ' ').trim());
  if (stringWidth(line) <= width) return line;
  let out = '';
  for (const { segment } of graphemes.segment(line)) {
    if (stringWidth(out) + stringWidth(segment) >= width) break;
    out += segment;
  }
  return `${out}…`;
}

const graphemes = new Intl.Segmenter();

function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Aligns columns. The first row is the head if `hasHead` is true, else the first column. */
export function drawTable(rows: readonly (readonly string[])[], paint: Paint, hasHead: boolean): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ''))));
  return rows
    .map((row, index) =>
      row
        .map((text, at) => {
          const padding = at === row.length - 1 ? '' : ' '.repeat((widths[at] ?? 0) - stringWidth(text));
          const isHead = hasHead ? index === 0 : at === 0;
          return (isHead ? paint('strong', text) : text) + padding;
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** JSON, indented and colored. */
export function paintJson(value: unknown, paint: Paint): string {
  return JSON.stringify(value, null, 2).replace(
    JSON_TOKEN,
    (token: string, string: string | undefined, colon: string | undefined) =>
      colon !== undefined
        ? paint('place', string ?? '') + colon
        : paint(string === undefined ? 'warning' : 'hint', token),
  );
}

/** A string, with the colon after it if it is a name; or a number, boolean, or null. */
const JSON_TOKEN = /("(?:[^"\\]|\\.)*"?)(:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
