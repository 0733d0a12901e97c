import type { ResourceType } from '../content/model.ts';
import { closestName } from '../util/closest-name.ts';

/**
 * The resource type a bundle name stands for: a full name (`taxonomy_term--tags`), else a bundle of `node`,
 * else the one bundle of that name. Throws an Error that names the call and the bundles where there is none.
 */
export function findType(
  types: ReadonlyMap<string, ResourceType>,
  bundle: string,
  call = 'entities',
): ResourceType {
  const exact = types.get(bundle) ?? types.get(`node--${bundle}`);
  if (exact !== undefined) return exact;
  const named = [...types.values()].filter((type) => type.bundle === bundle);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new Error(
      `${call}('${bundle}'): several resource types have this bundle name. Say which: ${list(named.map((type) => type.name))}.`,
    );
  }
  const names = [...types.values()].map((type) => (type.entityType === 'node' ? type.bundle : type.name));
  const near = closestName(bundle, names);
  const guess = near === undefined ? '' : ` Did you mean "${near}"?`;
  const choices = names.length === 0 ? 'The content folder has none yet.' : `Bundles: ${list(names)}.`;
  throw new Error(`${call}('${bundle}'): there is no bundle "${bundle}".${guess} ${choices}`);
}

function list(names: readonly string[]): string {
  return names.join(', ');
}
