import type { ContentChange } from '../../content/collect.ts';
import type { MutableEntityStore } from './store.ts';

/** Carries out what a collector says has changed. */
export function applyChange(store: MutableEntityStore, change: ContentChange): void {
  for (const type of change.removedTypes) {
    store.removeType(type);
  }
  for (const { type, id } of change.removed) {
    store.remove(type, id);
  }
  for (const { type, entities } of change.types) {
    store.replaceType(type, entities);
  }
  for (const entity of change.put) {
    store.put(entity);
  }
}
