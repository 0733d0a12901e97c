import type { RankOf } from '../../source/edit/map-steps.ts';
import { PUBLICATION_FLAGS } from '../publication.ts';
import type { EncodeBundle } from './encode-field.ts';

/**
 * Where keys belong: with a schema, base fields and then its fields in the order in which it declares them; without,
 * as in other files of the bundle.
 */
export function keyOrder({ type, declared, habits }: EncodeBundle): RankOf {
  const own = declared === undefined ? [...habits.keys.keys()] : [];
  // What the neighbours do not have follows the last of its kind that they have.
  const last = own.findLastIndex((key) => FIRST_KEYS.includes(key)) + 1;
  const fields =
    declared === undefined
      ? [...type.fields.values()].filter(({ base }) => !base)
      : [...declared.fields.values()].map(({ definition }) => definition);
  const order = [...own.slice(0, last), ...FIRST_KEYS, ...own.slice(last), ...fields.map(({ key }) => key)];
  const ranks = new Map<string, number>();
  for (const key of order) {
    if (!ranks.has(key)) ranks.set(key, ranks.size);
  }
  return (key) => ranks.get(key);
}

/** What a schema need not declare. */
const FIRST_KEYS: readonly string[] = [
  'id',
  'uuid',
  'title',
  'status',
  ...PUBLICATION_FLAGS,
  'created',
  'changed',
  'langcode',
  'path',
  'uid',
  'summary',
];
