import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ar } from '../../../admin/src/texts/ar.ts';
import { de } from '../../../admin/src/texts/de.ts';
import { en } from '../../../admin/src/texts/en.ts';
import { fileSize } from '../../../admin/src/texts/texts.ts';

vi.mock(import('../../../admin/src/texts/texts.ts'), async (original) => ({
  ...(await original()),
  // Modules with texts that are loaded later export their catalogues here.
  textsOf: (catalogues) => catalogues as never,
}));

const FOLDER = path.resolve(import.meta.dirname, '../../../admin/src/texts');

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [48_211, '48 kB'],
  [1_250_000, '1.3 MB'],
  [20_000_000_000, '20 GB'],
])('%i bytes are shown as %s', (bytes, shown) => {
  expect(fileSize(bytes)).toBe(shown);
});

interface Catalogues {
  readonly [language: string]: Readonly<Record<string, unknown>>;
}

const files = readdirSync(FOLDER).filter((file) => !/^(en|de|ar|texts)\.ts$/.test(file));
const later = await Promise.all(
  files.map(async (file): Promise<[string, Catalogues]> => {
    const [catalogues] = Object.values<Catalogues>(await import(path.join(FOLDER, file)));
    return [file, catalogues ?? {}];
  }),
);
const all: readonly [string, Catalogues][] = [['en.ts', { en, de, ar }], ...later];

describe.each(all)('the texts of %s', (_, { en = {}, ...others }) => {
  test.each(['de', 'ar'])('are complete in %s, with the placeholders of the English ones', (language) => {
    const catalogue = others[language] ?? {};
    expect(Object.keys(en).filter((key) => !Object.hasOwn(catalogue, key))).toEqual([]);
    expect(Object.keys(catalogue).filter((key) => !Object.hasOwn(en, key))).toEqual([]);
    for (const [key, message] of Object.entries(en)) {
      expect([key, placeholdersOf(catalogue[key])]).toEqual([key, placeholdersOf(message)]);
    }
  });
});

function placeholdersOf(message: unknown): readonly string[] {
  return [...new Set(JSON.stringify(message)?.match(/\{\w+\}/g) ?? [])].toSorted();
}

const SIGN_IN = path.resolve(import.meta.dirname, '../../../integration/features/accounts/sign-in/texts.ts');
const german = [
  ...all.flatMap(([, { de: catalogue = {} }]) => Object.values(catalogue).flatMap(stringsIn)),
  // The pages for signing in, and mails.
  ...Array.from(readFileSync(SIGN_IN, 'utf8').matchAll(/^.+ \| (.+) \| .+$/gm), ([, text = '']) => text),
];

/** The strings of a text, which can have one for each number. */
function stringsIn(message: unknown): readonly string[] {
  return typeof message === 'string' ? [message] : Object.values(Object(message)).flatMap(stringsIn);
}

/** Also verbs with *Sie*, such as in “Wählen Sie”, and *Ihr* within a sentence. A sentence that begins with *Sie* can be about things. */
const isFormal = (text: string) =>
  /[\p{L},] (Sie|Ihr(e[mnrs]?)?|Ihnen)\b|(^|[.:] )Sie (sind|haben|können|dürfen|erhalten|bekommen) (?!in)/u.test(
    text,
  );
const isInformal = (text: string) =>
  /\b(du|dich|dir|dein(e[mnrs]?)?)\b|(^|[.:] |oder )(wähle|gib|versuche|lege|entferne|kopiere|speichere|lösche) /i.test(
    text,
  );

test('the German texts of the admin, of mails and of the pages for signing in say du', () => {
  expect(isFormal('Bitte wählen Sie eine Datei.')).toBe(true);
  expect(isFormal('Sie sind abgemeldet')).toBe(true);
  expect(isFormal('Die Datei bleibt. Sie wird nicht gelöscht.')).toBe(false);
  expect(isInformal('Wähle eine Datei, oder lade sie hoch.')).toBe(true);
  expect(german.filter(isFormal)).toEqual([]);
  expect(german.filter(isInformal).length).toBeGreaterThan(50);
});
