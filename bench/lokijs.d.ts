// The part of LokiJS that the benchmark uses; the package has no types of its own.
declare module 'lokijs' {
  export interface Resultset<T> {
    find(query: Readonly<Record<string, unknown>>): Resultset<T>;
    simplesort(property: keyof T & string, options?: { readonly desc: boolean }): Resultset<T>;
    compoundsort(properties: readonly (readonly [keyof T & string, boolean])[]): Resultset<T>;
    offset(position: number): Resultset<T>;
    limit(quantity: number): Resultset<T>;
    count(): number;
    data(): readonly T[];
  }
  export interface Collection<T> {
    insert(documents: readonly T[]): void;
    chain(): Resultset<T>;
    ensureAllIndexes(force?: boolean): void;
  }
  export default class Loki {
    constructor(name: string);
    addCollection<T>(
      name: string,
      options: {
        readonly indices: readonly (keyof T & string)[];
        /** False: indexes are built when asked, not patched with each insertion. */
        readonly adaptiveBinaryIndices: boolean;
      },
    ): Collection<T>;
  }
}
