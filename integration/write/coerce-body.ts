import type { FieldDefinition } from '../content/model.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { type Coerced, coerceField, type Fault, shortened } from './coerce.ts';

/**
 * A body as clients send it: its text, or `{value, summary, format}` with what is to change of these. Formats of Drupal
 * whose texts are HTML are markdown too, which takes HTML as it is. What is computed may only be sent as it was shown.
 */
export function coerceBody(sent: JsonValue, shown: JsonValue, field: FieldDefinition): Coerced {
  if (sent === null) return { value: { value: '', summary: null }, faults: [] };
  if (Array.isArray(sent) && sent.length === 1) return coerceBody(sent[0] ?? null, shown, field);
  if (!isRecord(sent)) {
    const text = coerceField(sent, { ...field, kind: 'string' }, NOTHING_KNOWN);
    return text.faults.length > 0 ? text : { value: { value: text.value as string }, faults: [] };
  }
  const before = isRecord(shown) ? shown : {};
  const faults: Fault[] = [];
  const parts: Record<string, JsonValue> = {};
  for (const [name, part] of Object.entries(sent)) {
    const fault = BODY_PARTS[name]?.(part, before);
    if (BODY_PARTS[name] === undefined) {
      faults.push({
        path: [name],
        detail: `A body has no \`${name}\`. It has: ${Object.keys(BODY_PARTS).join(', ')}.`,
      });
    } else if (fault !== undefined) {
      faults.push({ path: [name], detail: fault });
    } else if (name === 'value' || name === 'summary' || name === 'format') {
      parts[name] = part;
    }
  }
  return { value: parts, faults };
}

const NOTHING_KNOWN = { has: () => false };
/** The text formats of Drupal that hold HTML. */
const HTML_FORMATS: readonly JsonValue[] = ['full_html', 'basic_html', 'restricted_html'];
const FORMATS: readonly JsonValue[] = ['markdown', 'mdx', ...HTML_FORMATS, null];

/** Compares the text of two renderings: the markup of code can change when the renderer loads a grammar. */
function isSameText(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (typeof a !== 'string' || typeof b !== 'string') return a === b;
  const [textA, textB] = [a, b].map((html) => html.replace(/<[^<>]*>/g, ''));
  return textA === textB;
}

/** What is wrong with a part, or nothing. */
const BODY_PARTS: Readonly<
  Record<string, (part: JsonValue, shown: Readonly<Record<string, JsonValue>>) => string | undefined>
> = Object.assign(Object.create(null), {
  value: (part: JsonValue) =>
    typeof part === 'string' || part === null ? undefined : 'The value of a body is a text.',
  summary: (part: JsonValue) =>
    typeof part === 'string' || part === null ? undefined : 'A summary is a text.',
  format: (part: JsonValue, shown: Readonly<Record<string, JsonValue>>) => {
    if (!FORMATS.includes(part))
      return `The format of a body is markdown or mdx, not ${shortened(JSON.stringify(part))}.`;
    const changes =
      typeof shown.format === 'string' && (part === 'mdx') !== (shown.format === 'mdx') && part !== null;
    return changes ? 'A body keeps its format, which is that of its file.' : undefined;
  },
  processed: (part: JsonValue, shown: Readonly<Record<string, JsonValue>>) =>
    isSameText(part, shown.processed)
      ? undefined
      : '`processed` is rendered from `value` and cannot be set: leave it out.',
});
