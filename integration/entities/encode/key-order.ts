import type { RankOf } from './edit-tree.ts';
import type { EncodeBundle } from './encode-field.ts';

/**
 * Where keys belong: with a schema, base fields and then its fields in the order in which it declares them; without,
 * as in other files of the bundle.
 */
export function keyOrder({ type, declared, habits }: EncodeBundle): RankOf {
  const fields = [...(declared?.fields.values() ?? [])].map(({ definition }) => definition.key);
  const own = declared === undefined ? [...habits.keys.keys()] : [];
  const others = [...type.fields.values()].filter(({ base }) => !base).map(({ key }) => key);
  const order = own.length > 0 ? [...own, ...FIRST_KEYS] : [...FIRST_KEYS, ...fields];
  const ranks = new Map<string, number>();
  for (const key of [...order, ...(declared === undefined && own.length === 0 ? others : [])]) {
    if (!ranks.has(key)) ranks.set(key, ranks.size);
  }
  return (key) => ranks.get(key);
}

/** What a schema need not declare. */
const FIRST_KEYS = [
  'id',
  'uuid',
  'title',
  'status',
  'draft',
  'created',
  'changed',
  'langcode',
  'path',
  'uid',
  'summary',
] as const;
