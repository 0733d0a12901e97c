import { foldText } from '../../core/engine/store/ordering.ts';

/**
 * Text as PostgreSQL can store it, in the order of code units: each UTF-16 code unit is one character. PostgreSQL has neither
 * NUL nor surrogates, so these become characters of a private plane, together with the code units above surrogates. Thus the
 * bytes of stored text are in the order of code units, NUL excepted, and a part of it is found where JavaScript finds it.
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

/**
 * Text as PostgreSQL can store it, for a collation: as it is, but for characters that PostgreSQL does not have. Collations
 * ignore NUL, so it becomes two other characters that they ignore. A lone surrogate becomes a private character, which is,
 * like a surrogate, behind all assigned characters.
 */
export function toCollated(text: string): string {
  if (!NOT_COLLATED.test(text)) return text;
  return text.replace(NOT_COLLATED_ALL, (character) => {
    if (character === '\0') return `${ESCAPE}\u0080`;
    if (character === ESCAPE) return ESCAPE + ESCAPE;
    // The private characters themselves become two of them, one for each of their surrogates.
    const units = character.split('');
    return units.map((unit) => String.fromCodePoint(PLANE + unit.charCodeAt(0))).join('');
  });
}

export function fromCollated(stored: string): string {
  if (!COLLATED.test(stored)) return stored;
  return stored.replace(COLLATED_ALL, (characters) => {
    if (characters.startsWith(ESCAPE)) return characters.endsWith(ESCAPE) ? ESCAPE : '\0';
    return String.fromCharCode(characters.codePointAt(0)! - PLANE);
  });
}

/**
 * The text that text operators search in, in the order of code units; null if it is the stored text with ASCII letters in lower
 * case, which PostgreSQL computes.
 */
export function foldedOrNull(text: string, stored: string): string | null {
  const folded = toStored(foldText(text));
  return folded === stored.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) ? null : folded;
}

const PLANE = 0x100000;
const FIRST_MOVED = 0xd800;
const UNUSUAL = /[\0\ud800-\uffff]/;
const ESCAPE = '\u007f';
/** NUL and its escape, lone surrogates, and the characters that stand for these. */
const NOT_COLLATED = /[\0\u007f\ud800-\udfff\u{10d800}-\u{10dfff}]/u;
const NOT_COLLATED_ALL = new RegExp(NOT_COLLATED, 'gu');
const COLLATED = /[\u007f\u{10d800}-\u{10dfff}]/u;
const COLLATED_ALL = /\u007f.|[\u{10d800}-\u{10dfff}]/gu;
