import type { Entity } from '../../integration/core/content/model.ts';
import type { Dataset } from './items.ts';

/**
 * The dataset with every entity repeated under numbered ids until each type that has entities has `size` of them.
 * References keep pointing to the originals, so a target has many referrers.
 */
export function crowd(dataset: Dataset, size: number): Dataset {
  const byType = Map.groupBy(dataset.entities, (entity) => entity.type);
  const entities = [...byType.values()].flatMap((originals) => repeated(originals, size));
  return { ...dataset, entities };
}

function repeated(originals: readonly Entity[], size: number): readonly Entity[] {
  return Array.from({ length: size }, (_, index): Entity => {
    const original = originals[index % originals.length] as Entity;
    const round = Math.floor(index / originals.length);
    return round === 0 ? original : { ...original, id: `${original.id}-${round}` };
  });
}
