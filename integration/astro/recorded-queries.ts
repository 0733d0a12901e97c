import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { PageQueries, PageQuery } from './page-queries.ts';

export const RECORDED_FILE = 'recorded-queries.json';

/** The queries of the pages of a build. Each query and each entity is stored once. */
interface RecordedQueries {
  readonly version: 1;
  /** `bundle id`, or `type id`. */
  readonly entities: readonly string[];
  readonly queries: readonly (Pick<PageQuery, 'code' | 'path' | 'actor' | 'digest'> & {
    /** Places in `entities`. */
    readonly uses: readonly number[];
  })[];
  /** Places in `queries`, by the path of the page. */
  readonly pages: Readonly<Record<string, readonly number[]>>;
}

/** The text of the file. */
export function writeRecorded(queries: PageQueries): string {
  const entities = new Places<string>(String);
  const all = new Places<RecordedQueries['queries'][number]>(JSON.stringify);
  const pages = queries.recorded().map(({ url, queries }) => {
    const places = queries.map(({ code, path, actor, digest, names }) =>
      all.of({
        code,
        path,
        actor,
        ...(digest !== undefined && { digest }),
        uses: names.map((name) => entities.of(name)),
      }),
    );
    return [url, places] as const;
  });
  const recorded: RecordedQueries = {
    version: 1,
    entities: entities.values,
    queries: all.values,
    pages: Object.fromEntries(pages),
  };
  return JSON.stringify(recorded);
}

/** The pages in a file; none without the file. */
export async function readRecorded(
  file: URL,
): Promise<
  readonly { readonly url: string; readonly queries: readonly Pick<PageQuery, 'actor' | 'names'>[] }[]
> {
  if (!existsSync(file)) return [];
  const { entities, queries, pages }: RecordedQueries = JSON.parse(await readFile(file, 'utf8'));
  const all = queries.map(({ actor, uses }) => ({ actor, names: uses.map((at) => entities[at] ?? '') }));
  return Object.entries(pages).map(([url, places]) => ({
    url,
    queries: places.flatMap((at) => all[at] ?? []),
  }));
}

/** Values without repetition, and their places. */
class Places<T> {
  readonly values: T[] = [];
  readonly #places = new Map<string, number>();
  readonly #keyOf: (value: T) => string;

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf;
  }

  of(value: T): number {
    const key = this.#keyOf(value);
    const place = this.#places.get(key) ?? this.values.push(value) - 1;
    this.#places.set(key, place);
    return place;
  }
}
