import type { FieldKind } from '../../integration/core/content/model.ts';
import type { Scalar } from '../../integration/core/engine/ast.ts';

// Small on purpose: values must collide, and every pair here tests equality or order.
const COMMON = ['', 'a', 'A', 'ab', 'Ab', 'b', 'B', 'z'];
const TEXTS = [
  ...COMMON,
  'á', // composed
  'a\u0301', // decomposed
  'Á',
  'ä',
  'Å',
  'A\u030a',
  'ö',
  'ss',
  'SS',
  'ß',
  'ẞ',
  'Straße',
  'STRASSE',
  'i',
  'I',
  'ı',
  'İ',
  'i\u0307',
  'σ',
  'ς',
  'Σ',
  'ΟΔΟΣ',
  'οδος',
  'οδοσ',
  'ａ', // full width
  'ＡＢ',
  '😀',
  '👩\u200d🚀',
  '\u200b', // ignored by collators
  'a\u200bb',
  'a\0', // PostgreSQL cannot store it as it is
  'a\u0001',
  'co-op',
  'coop',
  'a b',
  '10',
  '9',
  '%',
  '_',
  '\\',
  'ﬁ',
  'fi',
  '한',
  '\u1112\u1161\u11ab',
];

/** Ids, all different in code units, many equal to a collator. */
export const IDS = [
  'a',
  'A',
  'á',
  'a\u0301',
  'b',
  'B',
  'a/b',
  'ab',
  '10',
  '9',
  'z',
  'ss',
  'ß',
  'ａ',
  '\uff41\uff42',
  '😀',
];

/** An id that no entity has. */
export const MISSING_ID = 'missing';

const DECIMALS = ['0', '-1', '9.26', '9.3', '9.25', '10', '100.5', '-0.5', '0.1', '12345678901234567890.12'];
const DAYS = ['2024-01-12', '2024-01-13', '2023-12-31', '1999-02-28', '2024-02-29'];
const INSTANTS = [
  '2024-01-12T00:00:00+00:00',
  '2024-01-12T01:00:00+01:00',
  '2024-01-11T23:30:00-00:30',
  '2024-01-12T00:00:01+00:00',
  '2023-12-31T23:00:00-05:00',
  '1969-12-31T23:59:59+00:00',
  '2024-01-13T00:00:00+02:00',
];

/** Values that a field of a kind may store. */
export const STORED = {
  string: TEXTS,
  integer: [-2, 0, 1, 3, 10, 100],
  number: [-1.5, 0, 0.1, 1, 3, 3.25, 1000],
  decimal: DECIMALS,
  boolean: [true, false],
  date: DAYS,
  datetime: INSTANTS,
} as const satisfies Partial<Record<FieldKind, readonly Scalar[]>>;

/** Values that a query may compare a field of a kind with: every stored one, other spellings of it, and invalid ones. */
export const ASKED: Readonly<Record<keyof typeof STORED | 'id', readonly Scalar[]>> = {
  string: [...TEXTS, 'nothing has this'],
  integer: [...STORED.integer, '03', '3.0', '10', 2.5, '-2', 'many', ''],
  number: [...STORED.number, '3.250', '0.10', 2, 'many', ''],
  decimal: [...DECIMALS, '9.260', '9.30', 9.26, 10, '+0.1', '12345678901234567890.13', '010', 'many', ''],
  boolean: [true, false, 1, 0, '1', '0', 'true', 'false', 'maybe', ''],
  date: [...DAYS, '2024-01-12T23:59:00+05:00', '2024-01-14'],
  datetime: [
    ...INSTANTS,
    '2024-01-12',
    '2024-01-12T00:00:00Z',
    '2024-01-12T00:00:00.500Z',
    '2024-01-12T00:00:01',
  ],
  id: [...IDS, MISSING_ID, ''],
};

/** For `created` and `changed`. */
export const UNIX_SECONDS: readonly Scalar[] = [1705017600, '1705017601', -1, '0'];

/** What text operators look for in texts and ids. */
export const TEXT_PARTS: readonly string[] = [
  '',
  'a',
  'A',
  'b',
  'á',
  'a\u0301',
  '\u0301',
  's',
  'ss',
  'ß',
  'i',
  'ı',
  'İ',
  'σ',
  'ς',
  'ο',
  'ａ',
  '😀',
  '\u200b',
  '-',
  '0',
  '%',
  '_',
  '\\',
];

/** What text operators look for in the canonical texts of numbers, dates and booleans. */
export const NUMBER_PARTS: readonly string[] = [
  '',
  '0',
  '1',
  '-',
  '.',
  '3',
  '9.2',
  '2024-01',
  '20',
  'T0',
  't0',
  '+00:00',
  'a',
];
