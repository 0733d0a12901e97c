import { WIDGETS } from '../../api/config.ts';
import type { Part } from '../../api/schema.ts';
import { isForm } from '../../model/nested.ts';

/** True for an object whose properties fit into one row. */
export function isRow({ kind, properties, variants }: Part): boolean {
  return (
    kind === 'object' &&
    variants === undefined &&
    properties.length > 0 &&
    properties.every(
      (part) => SCALARS.includes(part.kind) && !part.list && HINTS.every((hint) => part[hint] === undefined),
    )
  );
}

const SCALARS: readonly string[] = ['string', 'integer', 'number', 'decimal', 'boolean', 'date', 'datetime'];
/** What needs room or a place of its own. */
const HINTS = ['description', 'when', 'width', 'widget'] as const;

/** True for a value whose input is loaded when it is needed. */
export function isLater(part: Part): boolean {
  const { widget, entries } = part;
  if (widget === 'json') return false;
  if (widget !== undefined && isCustom(widget)) return true;
  if (part.written || entries !== undefined || (isForm(part) && !isRow(part))) return true;
  return widget !== undefined && LATER.includes(widget);
}

const LATER: readonly string[] = ['code', 'color', 'location', 'slug', 'tree', 'key-value'];

/** True for a list that one input edits as a whole. */
export function hasListWidget({ widget, kind, targets }: Part): boolean {
  if (widget === undefined) return false;
  if (isCustom(widget)) return true;
  if (widget === 'tree') return kind === 'reference' && targets.length === 1;
  return widget === 'tags' && kind === 'string';
}

/** True for a widget of the site. */
export function isCustom(widget: string): boolean {
  return Object.hasOwn(WIDGETS, widget);
}
