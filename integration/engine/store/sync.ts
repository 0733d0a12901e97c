import type { ContentTarget } from '../../content/collect.ts';
import type { MutableEntityStore } from './store.ts';

/** Lets a collector keep a store current. */
export function storeTarget(store: MutableEntityStore): ContentTarget {
  return {
    load: (types, entities) => store.load(types, entities),
    apply({ removedTypes, removed, types, put }) {
      for (const type of removedTypes) store.removeType(type);
      for (const { type, id } of removed) store.remove(type, id);
      for (const { type, entities } of types) store.replaceType(type, entities);
      for (const entity of put) store.put(entity);
    },
  };
}
