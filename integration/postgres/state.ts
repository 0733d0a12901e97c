import type { ResourceType } from '../content/model.ts';
import type { FilterNode } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { POLICY_LIMITS } from '../engine/limits.ts';
import { createResolveContext } from '../engine/resolve/bind-path.ts';
import { type ResolvedNode, resolveFilter } from '../engine/resolve/resolve-filter.ts';
import { createOrderings, type Ordering } from '../engine/store/ordering.ts';
import type { SiteTerms } from '../engine/text/words.ts';
import { LruMap } from '../util/lru-map.ts';
import type { CompileContext } from './compile.ts';
import type { Database } from './database.ts';
import { type DictionaryName, findPosition, type Position } from './dictionary.ts';
import { createLayout, type TypeLayout } from './layout.ts';
import { type Meta, readMeta } from './meta.ts';

/** Facts about one version of the tables. */
export interface State extends Pick<Meta, 'version' | 'revision' | 'locale' | 'icu'> {
  readonly types: ReadonlyMap<string, ResourceType>;
  readonly layouts: ReadonlyMap<string, TypeLayout>;
  /** Types with translations. */
  readonly translated: ReadonlySet<string>;
  /** Exact counts by their SQL. */
  readonly counts: LruMap<string, number>;
  /** What scores depend on, by its SQL. */
  readonly statistics: LruMap<string, Promise<unknown>>;
  policy(type: ResourceType, access: QueryAccess): ResolvedNode | null;
  /** Compiles as often as it takes to find the positions of all strings in the dictionaries. */
  compile<T>(
    db: Database,
    access: QueryAccess,
    terms: SiteTerms | null,
    run: (context: CompileContext) => T,
  ): Promise<T>;
}

export async function readState(db: Database): Promise<State> {
  const meta = await readMeta(db);
  const types = new Map(meta.types.map(({ name, type }) => [name, type]));
  const layouts = new Map(meta.types.map(({ name, type, suffix }) => [name, createLayout(type, suffix)]));
  const translated = new Set(meta.types.filter((type) => type.hasTranslations).map(({ name }) => name));
  const policies = new WeakMap<FilterNode, Map<string, ResolvedNode>>();
  const positions = new Map<string, Position>();
  const ordering: Ordering = createOrderings(meta.locale).string;

  function policy(type: ResourceType, access: QueryAccess): ResolvedNode | null {
    const filter = access.visibility(type);
    if (filter === null) return null;
    const ofTypes = policies.get(filter) ?? new Map<string, ResolvedNode>();
    policies.set(filter, ofTypes);
    const resolved =
      ofTypes.get(type.name) ?? resolveFilter(type, filter, createResolveContext(types, null, POLICY_LIMITS));
    ofTypes.set(type.name, resolved);
    return resolved;
  }

  async function locate(db: Database, missing: ReadonlyMap<string, readonly [DictionaryName, string]>) {
    if (positions.size > MAX_POSITIONS) positions.clear();
    await Promise.all(
      [...missing].map(async ([key, [name, text]]) => {
        positions.set(key, await findPosition(db, name, text, ordering));
      }),
    );
  }

  return {
    version: meta.version,
    revision: meta.revision,
    locale: meta.locale,
    icu: meta.icu,
    types,
    layouts,
    translated,
    counts: new LruMap(MAX_CACHED),
    statistics: new LruMap(MAX_CACHED),
    policy,
    async compile(db, access, terms, run) {
      for (;;) {
        const missing = new Map<string, readonly [DictionaryName, string]>();
        let aliases = 0;
        const result = run({
          layout: (type) => layouts.get(type),
          access,
          policy: ({ type }) => policy(type, access),
          hasTranslations: ({ type }) => translated.has(type.name),
          position(name, text) {
            const key = `${name} ${text}`;
            const position = positions.get(key);
            if (position === undefined) missing.set(key, [name, text]);
            return position ?? NOWHERE;
          },
          terms: terms ?? NO_TERMS,
          alias: () => `t${aliases++}`,
        });
        if (missing.size === 0) return result;
        await locate(db, missing);
      }
    },
  };
}

const NOWHERE: Position = { key: 0, exact: false };
const NO_TERMS: Pick<SiteTerms, 'search'> = { search: () => [] };
const MAX_POSITIONS = 10_000;
const MAX_CACHED = 1000;
