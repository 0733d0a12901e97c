import { type Body, bodyLength, bodyText, type Entity, languageOf } from '../content/model.ts';
import type { Raw } from '../engine/store/ordering.ts';
import { splitReferenceKey } from '../engine/store/slot.ts';
import { type SearchableField, searchableFields } from '../engine/text/searchable.ts';
import { searchableText } from '../engine/text/searchable-text.ts';
import { FREQUENCIES } from '../engine/text/serialized.ts';
import { type SiteTerms, splitWords } from '../engine/text/words.ts';
import { bytesInMemory } from '../storage/stored-bytes.ts';
import { digestText } from '../util/revision.ts';
import { keyOfRaw, type SlotColumn, type TypeLayout } from './layout.ts';
import { toStored } from './text.ts';

/** An entity as it is stored as JSON: without its type, and with the text of its body in a dictionary. */
export type EntityRecord = Omit<Entity, 'type' | 'body'> & {
  readonly body: (Pick<Body, 'format' | 'summary'> & { readonly bytes: number }) | null;
};

export function encodeEntity({ type: _, body, ...entity }: Entity): string {
  const record: EntityRecord = {
    ...entity,
    body: body && { format: body.format, summary: body.summary, bytes: bodyLength(body) },
  };
  return JSON.stringify(record);
}

/** `text` is the text of the body. */
export function decodeEntity(
  type: string,
  { body, values, ...rest }: EntityRecord,
  text: string | null,
): Entity {
  const nullPrototype = Object.assign(Object.create(null), values);
  return { ...rest, type, values: nullPrototype, body: body && decodeBody(body, text ?? '') };
}

function decodeBody({ format, summary }: NonNullable<EntityRecord['body']>, text: string): Body {
  const bytes = new TextEncoder().encode(text);
  return { file: bytesInMemory(bytes), start: 0, end: bytes.length, format, summary };
}

/** 64 bits as hexadecimal digits. Equal digests mean equal rows. */
export function digestEntity(entity: Entity): string {
  const cached = digests.get(entity);
  if (cached !== undefined) return cached;
  const digest = digestText(`${encodeEntity(entity)}\n${entity.body === null ? '' : bodyText(entity.body)}`);
  digests.set(entity, digest);
  return digest;
}

/** Entities never change, and a server compares the same ones again. */
const digests = new WeakMap<Entity, string>();

/** The words of an entity by `wordKey`, and the number of words of each searchable field. */
export function wordsOf(
  entity: Entity,
  { type }: TypeLayout,
  siteTerms: SiteTerms,
): { readonly words: string; readonly lengths: readonly number[] } {
  const counts = new Map<string, number>();
  const terms = siteTerms.of(languageOf(entity));
  const lengths = searchableFields(type).map((field) => {
    const words = splitWords(searchableText(entity, field));
    for (const word of words) {
      const key = wordKey(field, terms.termOf(word));
      counts.set(key, Math.min((counts.get(key) ?? 0) + 1, FREQUENCIES - 1));
    }
    return words.length;
  });
  return { words: JSON.stringify(Object.fromEntries(counts)), lengths };
}

/** A term in a field. */
export function wordKey({ name }: SearchableField, term: string): string {
  return toStored(`${name}:${term}`);
}

/** Finds the numbers of strings and references, which are stored before the rows. */
export interface Numbers {
  text(column: SlotColumn, text: string): { readonly no: number; readonly key: number };
  reference(type: string, id: string): number;
}

/** The values of the columns of a slot: the key, and the raw value if it has a column of its own. */
export function valuesOf(column: SlotColumn, raw: Raw | null, numbers: Numbers): readonly (Raw | null)[] {
  const isSingle = column.key === column.raw;
  if (raw === null) return isSingle ? [null] : [null, null];
  const { storage } = column;
  switch (storage) {
    case 'texts':
    case 'bodies': {
      const { no, key } = numbers.text(column, String(raw));
      return [key, no];
    }
    case 'reference': {
      const { type, id } = splitReferenceKey(String(raw));
      return [numbers.reference(type, id)];
    }
    default: {
      const key = keyOfRaw(storage, raw);
      return isSingle ? [key] : [key, toStored(String(raw))];
    }
  }
}
