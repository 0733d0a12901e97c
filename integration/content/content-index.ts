import type { ContentFile } from './content-file.ts';
import type { Reference } from './model.ts';
import type { KnownTypes } from './references.ts';
import { type BundleProfile, type BundleShape, createBundleProfile, declaredShape, inferBundle, tallyFile } from './schema/bundle-shape.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** The files of one resource type, and who has which id. */
export interface Bundle {
  readonly name: string;
  readonly declared: DeclaredBundle | undefined;
  /** Keys of all its files, unreadable ones included. */
  readonly keys: Set<string>;
  /** Readable files by key. */
  readonly files: Map<string, ContentFile>;
  /** Key of the file that claims an id; where several do, their keys in code-unit order: the first has it. */
  readonly claims: Map<string, string | readonly string[]>;
  /** Empty with a schema. */
  readonly profile: BundleProfile;
  shape: BundleShape | undefined;
}

/** All readable files by bundle and id. Remembers which ids changed hands between two calls of `takeMoves`. */
export interface ContentIndex extends KnownTypes {
  readonly bundles: ReadonlyMap<string, Bundle>;
  bundle(name: string): Bundle;
  removeBundle(name: string): void;
  add(bundle: Bundle, file: ContentFile): void;
  remove(bundle: Bundle, key: string): void;
  /** The same object for every reference to an entity: of thousands of references, few are different. */
  shared(reference: Reference): Reference;
  /** Key of the file that has an id. */
  holder(type: string, id: string): string | undefined;
  /**
   * Ids held by another file than at the last call, or by one where there was none, or by none any more. Before the
   * first call there was no id, and nothing could know of one: it answers none.
   */
  takeMoves(): readonly Move[];
}

export interface Move extends Reference {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function createContentIndex(declared: ReadonlyMap<string, DeclaredBundle>): ContentIndex {
  const bundles = new Map<string, Bundle>();
  const touched = new Map<string, Reference & { readonly before: string | undefined }>();
  const references = new Map<string, Map<string, Reference>>();
  let started = false;

  function bundle(name: string): Bundle {
    const found = bundles.get(name);
    if (found !== undefined) {
      return found;
    }
    const created: Bundle = {
      name,
      declared: declared.get(name),
      keys: new Set(),
      files: new Map(),
      claims: new Map(),
      profile: createBundleProfile(),
      shape: undefined,
    };
    bundles.set(name, created);
    return created;
  }

  function holder(type: string, id: string): string | undefined {
    return firstOf(bundles.get(type)?.claims.get(id));
  }

  function shared({ type, id }: Reference): Reference {
    const ofType = references.get(type) ?? new Map<string, Reference>();
    references.set(type, ofType);
    const known = ofType.get(id) ?? Object.freeze({ type, id });
    ofType.set(id, known);
    return known;
  }

  function touch(bundle: Bundle, id: string): void {
    const place = started ? `${bundle.name}/${id}` : '';
    if (started && !touched.has(place)) {
      touched.set(place, { type: bundle.name, id, before: holder(bundle.name, id) });
    }
  }

  return {
    bundles,
    bundle,
    removeBundle: (name) => void bundles.delete(name),
    add(bundle, file) {
      const { key, id } = file;
      bundle.files.set(key, file);
      touch(bundle, id);
      const claim = bundle.claims.get(id);
      bundle.claims.set(id, claim === undefined ? key : [...keysOf(claim), key].sort());
      tally(bundle, file, 1);
    },
    remove(bundle, key) {
      const file = bundle.files.get(key);
      if (file !== undefined) {
        bundle.files.delete(key);
        touch(bundle, file.id);
        const others = keysOf(bundle.claims.get(file.id)).filter((other) => other !== key);
        if (others.length === 0) bundle.claims.delete(file.id);
        else bundle.claims.set(file.id, others.length === 1 ? others[0]! : others);
        tally(bundle, file, -1);
      }
    },
    has: (type, id) => holder(type, id) !== undefined,
    hasType(type) {
      const found = bundles.get(type);
      return found !== undefined && (found.keys.size > 0 || found.declared !== undefined);
    },
    shared,
    holder,
    takeMoves() {
      const moves = [...touched.values()]
        .map(({ type, id, before }) => ({ type, id, before, after: holder(type, id) }))
        .filter(({ before, after }) => before !== after);
      touched.clear();
      started = true;
      return moves;
    },
  };
}

/** What a schema declares is not inferred. */
function tally({ declared, profile }: Bundle, file: ContentFile, delta: 1 | -1): void {
  if (declared === undefined) tallyFile(profile, file, delta);
}

/** The keys of the files that claim an id. */
export function keysOf(claim: string | readonly string[] | undefined): readonly string[] {
  return typeof claim === 'string' ? [claim] : (claim ?? []);
}

function firstOf(claim: string | readonly string[] | undefined): string | undefined {
  return typeof claim === 'string' ? claim : claim?.[0];
}

/** What the bundle's files make of it now. */
export function shapeOf(bundle: Bundle, known: KnownTypes): BundleShape {
  return bundle.declared === undefined
    ? inferBundle(bundle.name, bundle.profile, known)
    : declaredShape(bundle.name, bundle.declared);
}
