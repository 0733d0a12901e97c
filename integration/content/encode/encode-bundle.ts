import type { ContentIndex } from '../content-index.ts';
import { roleOf } from '../resource-type.ts';
import type { EncodeBundle } from './encode-field.ts';
import { habitsOf } from './habits.ts';

/** What the files of the bundle of a file have in common; undefined where there is no such bundle. */
export function encodeBundleOf(index: ContentIndex, key: string): EncodeBundle | undefined {
  const role = roleOf(key);
  const bundle = role.role === 'entity' ? index.bundles.get(role.type) : undefined;
  if (bundle?.shape === undefined || role.role !== 'entity') return undefined;
  const habits = habitsOf(bundle.files.values(), role.format);
  return { type: bundle.shape.type, declared: bundle.declared, known: index, habits };
}
