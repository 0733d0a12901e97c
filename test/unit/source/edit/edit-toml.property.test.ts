import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';
import { editData, readRaw } from '../../../../integration/core/source/edit/edit-data.ts';
import { layoutOf } from '../../../../integration/core/source/edit/layout.ts';
import { type Raw, type RawMap, sameRaw } from '../../../../integration/core/source/edit/raw.ts';
import { sectionsOf } from '../../../../integration/features/toml/toml.ts';
import { runs } from '../../../oracle/runs.ts';
import '../../../support/toml-format.ts';

const NAMES = ['title', 'a', 'b-c', 'ä', 'two words', '__proto__', '1'];
const bareOrQuoted = (name: string) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

/** Values with one of the ways to write them. */
const scalar = fc.oneof(
  fc.constantFrom(
    '"text"',
    "'lite\\ral'",
    '"with # and = and ]"',
    '"\\u00e4\\n"',
    '""',
    '"""a "b" \\\n  c"""',
    "'''\nx'''",
  ),
  fc.constantFrom('1', '-17', '1_000', '0xff', '3.50', '1e3', 'true', 'false'),
  fc.constantFrom('2024-01-31', '2024-01-31 10:00:00', '2024-01-31T10:00:00.5Z', '10:00:00'),
);
const inline: fc.Arbitrary<string> = fc
  .letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
      fc
        .array(tie('value'), { minLength: 1, maxLength: 3 })
        .map((items) => `[\n${items.map((item) => `  ${item}, # of ${items.length}\n`).join('')}]`),
      fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }).map(
        (map) =>
          `{ ${Object.entries(map)
            .map(([name, item]) => `${bareOrQuoted(name)} = ${item}`)
            .join(', ')} }`,
      ),
    ),
  }))
  .value.filter((text) => !/\{[^}]*\n/.test(text));

const pairs = fc
  .uniqueArray(
    fc.tuple(fc.constantFrom(...NAMES), inline, fc.constantFrom('', ' # note', '\n', '\n# below')),
    {
      selector: ([name]) => name,
      maxLength: 4,
    },
  )
  .map((list) => list.map(([name, value, end]) => `${bareOrQuoted(name)} = ${value}${end}\n`).join(''));

const tables = fc
  .uniqueArray(
    fc.tuple(
      fc.constantFrom('t', 't.u', 'x.y', 'list', 'list2'),
      fc.array(pairs, { minLength: 1, maxLength: 3 }),
    ),
    {
      selector: ([name]) => name,
      maxLength: 4,
    },
  )
  .map((list) =>
    list
      .flatMap(([name, bodies]) =>
        name.startsWith('list')
          ? bodies.map((body) => `\n# about ${name}\n[[${name}]]\n${body}`)
          : [`\n[${name}]\n${bodies[0]}`],
      )
      .join(''),
  );

const documents = fc
  .tuple(pairs, tables, fc.boolean())
  .map(([root, rest, isWindows]) => (isWindows ? (root + rest).replaceAll('\n', '\r\n') : root + rest));

const json: fc.Arbitrary<Raw> = fc.letrec<{ value: Raw }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('2024-01-31', 'a\nb', "it's", '"""', 'x\n+++\ny'),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Replaces, adds and removes values anywhere in the data. */
function changed(value: Raw, random: readonly number[], replacement: Raw): Raw {
  const [first = 0, ...rest] = random;
  if (Array.isArray(value) && value.length > 0 && first % 5 > 0) {
    const items = value as readonly Raw[];
    const at = first % items.length;
    if (first % 5 === 1) return items.toSpliced(at, 1);
    if (first % 5 === 2) return items.toSpliced(at, 0, items[at] ?? replacement);
    return items.with(at, changed(items[at] ?? null, rest, replacement));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && first % 5 > 0) {
    const entries = Object.entries(value as RawMap);
    if (entries.length === 0) return value;
    const at = first % entries.length;
    const [name = '', item = null] = entries[at] ?? [];
    if (first % 5 === 1) return fromEntries(entries.toSpliced(at, 1));
    if (first % 5 === 2) return fromEntries([...entries, [`new ${first}`, replacement]]);
    return fromEntries(entries.with(at, [name, changed(item, rest, replacement)]));
  }
  return replacement;
}

function fromEntries(entries: readonly (readonly [string, Raw])[]): RawMap {
  const map: Record<string, Raw> = Object.setPrototypeOf({}, null);
  for (const [name, raw] of entries) map[name] = raw;
  return map;
}

it('an edit of TOML changes the intended data and the lines of the edited keys only', () => {
  let edits = 0;
  fc.assert(
    fc.property(
      documents,
      fc.array(fc.nat(), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('title', 'a', 't', 'x', 'list', 'fresh'),
      json,
      (text, random, name, replacement) => {
        const before = readRaw(text, 'toml');
        fc.pre(before !== undefined);
        const value = Object.hasOwn(before, name)
          ? changed(before[name] ?? null, random, replacement)
          : replacement;
        const source = { text, language: 'toml', layout: layoutOf(text) } as const;
        const removes = random[0] === 0;
        const result = editData(
          source,
          before,
          new Map([[name, removes ? undefined : value]]),
          () => undefined,
        );
        // Only text that no TOML file can hold is refused.
        if (result === undefined) {
          expect(JSON.stringify(value)).toMatch(/\\ud[89a-f]/);
          return;
        }
        edits += 1;
        const after = fromEntries([
          ...Object.entries(before).filter(([each]) => each !== name),
          ...(removes ? [] : [[name, value] as const]),
        ]);
        expect(sameRaw(readRaw(result, 'toml'), after)).toBe(true);
        expect(othersBySmolToml(result, name)).toEqual(othersBySmolToml(text, name));
        expect(linesOfOthers(result, name)).toEqual(linesOfOthers(text, name));
        if (text.includes('\r\n')) expect(result).not.toMatch(/[^\r]\n/);
      },
    ),
    runs(400),
  );
  expect(edits).toBeGreaterThan(100);
});

/** The data of another parser without a key. */
function othersBySmolToml(text: string, name: string): unknown {
  const { [name]: _, ...others } = parse(text);
  return others;
}

/** The lines of headers and pairs, with the comments beside them, that do not belong to a key. */
function linesOfOthers(text: string, name: string): readonly string[] {
  return sectionsOf(text).flatMap(({ path, header, pairs }) => {
    const ranges = [
      ...(header === undefined || path[0] === name ? [] : [header.key.range]),
      ...pairs.filter((pair) => pair.path[0] !== name).map(({ start, end }) => [start, end] as const),
    ];
    return ranges.map(([start, end]) =>
      text.slice(text.lastIndexOf('\n', start) + 1, text.indexOf('\n', end)),
    );
  });
}
