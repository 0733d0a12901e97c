import { SvelteMap } from 'svelte/reactivity';
import { type Resource, readList, titleOf } from './content.ts';
import { afterFirst } from './first.ts';

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
      if (this.#wanted.length === 0) void afterFirst().then(() => this.#read());
      this.#wanted.push(reference);
    }
    return reference.id;
  }

  add(resource: Resource): void {
    this.#titles.set(keyOf(resource), titleOf(resource));
  }

  /** Reads the titles that are unknown. */
  async read(references: readonly Reference[]): Promise<void> {
    const unknown = references.filter((each) => !this.#titles.has(keyOf(each)));
    for (const each of unknown) this.#requested.add(keyOf(each));
    await this.#readAll(unknown);
  }

  async #read(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    await this.#readAll(wanted);
  }

  async #readAll(wanted: readonly Reference[]): Promise<void> {
    const byType = Map.groupBy(wanted, ({ type }) => type);
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
