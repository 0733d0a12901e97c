export interface Branch {
  readonly id: string;
  readonly title: string;
  /** 0 for an entity without a parent. */
  readonly depth: number;
}

/** Entities with each below its parent, in the given order among those of one parent. Circles start at their first entity. */
export function treeOf(
  entities: readonly { readonly id: string; readonly title: string; readonly parent?: string | undefined }[],
): readonly Branch[] {
  const ids = new Set(entities.map(({ id }) => id));
  const below = Map.groupBy(entities, ({ parent }) =>
    parent !== undefined && ids.has(parent) ? parent : '',
  );
  const branches = new Map<string, Branch>();
  const add = (list: typeof entities, depth: number): void => {
    for (const { id, title } of list) {
      if (branches.has(id)) continue;
      branches.set(id, { id, title, depth });
      add(below.get(id) ?? [], depth + 1);
    }
  };
  add(below.get('') ?? [], 0);
  add(entities, 0);
  return [...branches.values()];
}
