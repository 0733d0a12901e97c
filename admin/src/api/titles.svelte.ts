import { SvelteMap } from 'svelte/reactivity';
import { type Resource, readList, titleOf } from './content.ts';

interface Reference {
  readonly type: string;
  readonly id: string;
}

/** Titles of referenced entities. Those that are needed at the same time are read together. */
class Titles {
  readonly #titles = new SvelteMap<string, string>();
  /** Keys of titles that are being read, or that cannot be read. */
  readonly #requested = new Set<string>();
  #wanted: Reference[] = [];

  /** The title; the id until it is read, and if the entity is missing. */
  of(reference: Reference): string {
    const key = keyOf(reference);
    const title = this.#titles.get(key);
    if (title !== undefined) return title;
    if (!this.#requested.has(key)) {
      this.#requested.add(key);
      if (this.#wanted.length === 0) queueMicrotask(() => void this.#read());
      this.#wanted.push(reference);
    }
    return reference.id;
  }

  add(resource: Resource): void {
    this.#titles.set(keyOf(resource), titleOf(resource));
  }

  async #read(): Promise<void> {
    const byType = Map.groupBy(this.#wanted, ({ type }) => type);
    this.#wanted = [];
    await Promise.all(
      [...byType].map(async ([type, references]) => {
        for (let at = 0; at < references.length; at += BATCH) {
          const ids = references.slice(at, at + BATCH).map(({ id }) => id);
          // A title that cannot be read is shown as its id.
          const { items } = await readList(pathFor(type, ids)).catch(() => ({ items: [] }));
          for (const item of items) this.add(item);
        }
      }),
    );
  }
}

export const titles = new Titles();

const BATCH = 50;

function pathFor(type: string, ids: readonly string[]): string {
  const [entityType = '', bundle = ''] = type.split('--');
  const query = new URLSearchParams([
    [`fields[${type}]`, 'title'],
    ['filter[these][condition][path]', 'id'],
    ['filter[these][condition][operator]', 'IN'],
    ...ids.map((id) => ['filter[these][condition][value][]', id]),
  ]);
  return `/${encodeURIComponent(entityType)}/${encodeURIComponent(bundle)}?${query}`;
}

function keyOf({ type, id }: Reference): string {
  return `${type}/${id}`;
}
