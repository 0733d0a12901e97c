import {
  type Body,
  bodyLength,
  bodyText,
  type Entity,
  languageOf,
  type Reference,
  type ResourceType,
} from '../../core/content/model.ts';
import type { Raw } from '../../core/engine/store/ordering.ts';
import { splitReferenceKey } from '../../core/engine/store/slot.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { headingWords, searchableText } from '../../core/engine/text/searchable-text.ts';
import { FREQUENCIES } from '../../core/engine/text/serialized.ts';
import { type SiteTerms, splitWords, wordsAsText } from '../../core/engine/text/words.ts';
import { bytesInMemory } from '../../core/storage/stored-bytes.ts';
import { digestText } from '../../core/util/revision.ts';
import { keyOfRaw, type SlotColumn, type Storage } from './layout.ts';
import { foldedOrNull, fromCollated, toStored } from './text.ts';

/** An entity as it is stored as JSON: without its type, and without the text of its body. */
type EntityRecord = Omit<Entity, 'type' | 'body'> & {
  readonly body: (Pick<Body, 'format' | 'summary'> & { readonly bytes: number }) | null;
};

function recordOf({ type: _, body, ...entity }: Entity): string {
  const record: EntityRecord = {
    ...entity,
    body: body && { format: body.format, summary: body.summary, bytes: bodyLength(body) },
  };
  return JSON.stringify(record);
}

/** The JSON of an entity, in which control characters stand for the phrases of its type: JSON itself does not contain them. */
export function encodeEntity(entity: Entity, type: ResourceType): string {
  return phrasesOf(type).reduce((text, phrase, at) => text.replaceAll(phrase, MARKS[at]!), recordOf(entity));
}

/** `text` is the stored text of the body. */
export function decodeEntity(type: ResourceType, encoded: string, text: string | null): Entity {
  const phrases = phrasesOf(type);
  const json = encoded.replace(MARK, (mark) => phrases[MARKS.indexOf(mark)]!);
  const { body, values, ...rest }: EntityRecord = JSON.parse(json);
  const nullPrototype = Object.assign(Object.create(null), values);
  return {
    ...rest,
    type: type.name,
    values: nullPrototype,
    body: body && decodeBody(body, fromCollated(text ?? '')),
  };
}

/** Parts of the JSON of most entities of a type. */
export function phrasesOf(type: ResourceType): readonly string[] {
  let phrases = cachedPhrases.get(type);
  if (phrases === undefined) {
    const fields = [...type.fields.values()];
    const targets = new Set(fields.flatMap((field) => field.targets));
    phrases = [
      `{"id":"`,
      `","key":"${type.bundle}/`,
      `.md","revision":"`,
      `,"published":true`,
      `,"published":false`,
      `,"values":{`,
      `},"body":null}`,
      `},"body":{"format":"`,
      ...[...targets].map((target) => `{"type":${JSON.stringify(target)},"id":"`),
      ...fields.map(({ name }) => `,${JSON.stringify(name)}:`),
    ].slice(0, MARKS.length);
    cachedPhrases.set(type, phrases);
  }
  return phrases;
}

const cachedPhrases = new WeakMap<ResourceType, readonly string[]>();

/** Control characters, and then pairs whose second character is not the first one of a phrase. */
const MARKS: readonly string[] = [
  ...Array.from({ length: 30 }, (_, i) => String.fromCharCode(2 + i)),
  ...Array.from({ length: 65 }, (_, i) => `\u0001${String.fromCharCode(':'.charCodeAt(0) + i)}`),
];
const MARK = new RegExp(MARKS.join('|').replace(/[[\\\]^?]/g, '\\$&'), 'g');

function decodeBody({ format, summary }: NonNullable<EntityRecord['body']>, text: string): Body {
  const bytes = new TextEncoder().encode(text);
  return { file: bytesInMemory(bytes), start: 0, end: bytes.length, format, summary };
}

/** A signed integer of 64 bits, in digits. Equal digests mean equal rows. */
export function digestEntity(entity: Entity): string {
  const cached = digests.get(entity);
  if (cached !== undefined) return cached;
  const text = `${recordOf(entity)}\n${entity.body === null ? '' : bodyText(entity.body)}`;
  const digest = String(BigInt.asIntN(64, BigInt(`0x${digestText(text)}`)));
  digests.set(entity, digest);
  return digest;
}

/** Entities never change, and a server compares the same ones again. */
const digests = new WeakMap<Entity, string>();

/** How often the words of an entity occur, by `wordKey`, and the number of words of each searchable field and its words in their order. */
export function wordsOf(
  entity: Entity,
  type: ResourceType,
  siteTerms: SiteTerms,
): {
  readonly counts: ReadonlyMap<string, number>;
  readonly lengths: readonly number[];
  readonly texts: readonly string[];
} {
  const counts = new Map<string, number>();
  const terms = siteTerms.of(languageOf(entity));
  const fields = searchableFields(type);
  const texts = fields.map((field) => searchableText(entity, field));
  const lengths = texts.map((text, at) => {
    const words = splitWords(text);
    for (const word of [...words, ...headingWords(text, fields[at]!)]) {
      const key = wordKey(at, terms.termOf(word));
      counts.set(key, Math.min((counts.get(key) ?? 0) + 1, FREQUENCIES - 1));
    }
    return words.length;
  });
  return { counts, lengths, texts: texts.map((text) => toStored(wordsAsText(text))) };
}

/** A term in a searchable field. */
export function wordKey(field: number, term: string): string {
  return toStored(`${field}:${term}`);
}

/** The values of the columns of a slot, as `columnsOf` lists them. References are numbered before. */
export function valuesOf(
  column: SlotColumn,
  raw: Raw | null,
  numberOf: (reference: Reference) => number,
): readonly (Raw | null)[] {
  const { storage, folded } = column;
  const hasRaw = column.raw !== column.key;
  if (raw === null) return [null, ...(hasRaw ? [null] : []), ...(folded === null ? [] : [null])];
  if (storage === 'reference') return [numberOf(splitReferenceKey(String(raw)))];
  const key = keyOfRaw(storage, raw);
  return [
    key,
    ...(hasRaw ? [isUsualInstant(storage, key, raw) ? null : String(raw)] : []),
    ...(folded === null ? [] : [foldedOrNull(String(raw), String(key))]),
  ];
}

/** True if `rawIn` writes the instant in the same way. */
function isUsualInstant(storage: Storage, key: Raw, raw: Raw): boolean {
  if (storage !== 'instant' || !Number.isFinite(key)) return false;
  return raw === new Date(key).toISOString().replace(/^(?!0000)(\d{4}-.*)\.000Z$/, '$1+00:00');
}
