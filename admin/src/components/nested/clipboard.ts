import { isRecord } from '../../../../integration/core/util/json.ts';
import { parseJson } from '../../api/request.ts';

/** Marks JSON in the clipboard as a copied item. */
const MARKER = 'astro-jsonapi:item';
/** The last copied block, for browsers that do not let a page read the clipboard. */
const STORED = 'astro-jsonapi:copied';

export async function copyItem(value: unknown): Promise<void> {
  const copied = JSON.stringify({ [MARKER]: value }, null, 2);
  localStorage.setItem(STORED, copied);
  await navigator.clipboard?.writeText(copied).catch(() => undefined);
}

/** The copied item; undefined if nothing or something else was copied. */
export async function copiedItem(): Promise<{ readonly value: unknown } | undefined> {
  const read = navigator.clipboard?.readText?.().catch(() => undefined);
  const copied = (await read) ?? localStorage.getItem(STORED) ?? '';
  const document: unknown = parseJson(copied);
  return isRecord(document) && MARKER in document ? { value: document[MARKER] } : undefined;
}
