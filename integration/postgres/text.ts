import { sql } from 'kysely';
import type { Sql } from './database.ts';

/**
 * Text as PostgreSQL can store it: each UTF-16 code unit is one character. PostgreSQL has neither NUL nor surrogates, so
 * these become characters of a private plane, together with the code units above surrogates. Thus the bytes of stored
 * text are in the order of code units, and a part of it is found where JavaScript finds it. NUL alone is out of order:
 * see `inCodeUnitOrder`.
 */
export function toStored(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  let stored = '';
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    stored += unit === 0 || unit >= FIRST_MOVED ? String.fromCodePoint(PLANE + unit) : text[at];
  }
  return stored;
}

export function fromStored(stored: string): string {
  if (!/[\ud800-\udfff]/.test(stored)) return stored;
  let text = '';
  for (const character of stored) {
    const point = character.codePointAt(0)!;
    text += point >= PLANE ? String.fromCharCode(point - PLANE) : character;
  }
  return text;
}

/** Stored text as bytes in the order of code units, with NUL before all others. */
export function inCodeUnitOrder(stored: Sql): Sql {
  return sql`replace(replace(${stored}, chr(1), chr(1) || chr(2)), chr(${sql.lit(PLANE)}), chr(1) || chr(1)) collate "C"`;
}

const PLANE = 0x100000;
const FIRST_MOVED = 0xd800;
const UNUSUAL = /[\0\ud800-\uffff]/;
