import type { FileHistory } from '../../storage/driver.ts';
import type { ContentFile } from '../content-file.ts';
import type { Bundle } from '../content-index.ts';
import { type CollectorState, isDraft } from '../content-state.ts';
import type { FileCatalog } from '../file-catalog.ts';
import { shortTypeName } from '../resource-type.ts';
import { type AliasPattern, parseAliasPattern } from './alias.ts';
import { type DecodedFile, decodeFile } from './decode.ts';
import { type PublicationRule, type PublishedStatuses, publicationRule } from './publication.ts';
import type { KnownEntities } from './references.ts';

export interface CollectorOptions {
  readonly published: PublishedStatuses;
  readonly danglingReferences: 'error' | 'missing';
  /** BCP 47 tag of entities without a language. */
  readonly defaultLangcode: string;
  /** Alias patterns by bundle, for files without an alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The site's `base`, the start of file URLs: starts with a slash, ends without one. Empty by default. */
  readonly base?: string;
}

/** Decodes files with the options of their bundle. */
export interface BundleDecoder {
  /** Undefined if the bundle has no shape yet. */
  decode(
    state: CollectorState,
    bundle: Bundle,
    file: ContentFile,
    /** Those of the state by default. */
    known?: KnownEntities,
    /** For a past version: when it was committed, in Unix seconds. */
    at?: number,
  ): DecodedFile | undefined;
  publicationOf(bundle: Bundle): PublicationRule;
}

export function createBundleDecoder(options: CollectorOptions, files: FileCatalog): BundleDecoder {
  const settings = new Map<string, BundleSettings>();

  function settingsOf({ name }: Bundle): BundleSettings {
    const cached = settings.get(name);
    if (cached !== undefined) return cached;
    const alias = optionFor(options.aliases ?? {}, name);
    const created = {
      publication: publicationRule(optionFor(options.published, name)),
      aliasPattern: alias === undefined ? undefined : parseAliasPattern(alias),
    };
    settings.set(name, created);
    return created;
  }

  return {
    decode(state, bundle, file, known = state.index, at = undefined) {
      if (bundle.shape === undefined) return undefined;
      return decodeFile(file, {
        shape: bundle.shape,
        ...settingsOf(bundle),
        known: { has: known.has, shared: state.index.shared },
        history: historyAt(state.history.get(file.key), at),
        defaultLangcode: options.defaultLangcode,
        danglingReferences: options.danglingReferences,
        isDraft: (reference) => isDraft(state, reference),
        files,
        base: options.base ?? '',
      });
    },
    publicationOf: (bundle) => settingsOf(bundle).publication,
  };
}

interface BundleSettings {
  readonly publication: PublicationRule;
  readonly aliasPattern: AliasPattern | undefined;
}

/** The history of a file when it was last committed at `at`. */
function historyAt(now: FileHistory | undefined, at: number | undefined): FileHistory | undefined {
  return at === undefined ? now : { created: Math.min(now?.created ?? at, at), changed: at };
}

/** A bundle's option, under its full or its short name. */
function optionFor<T>(byBundle: Readonly<Record<string, T>>, name: string): T | undefined {
  const key = [name, shortTypeName(name)].find((each) => Object.hasOwn(byBundle, each));
  return key === undefined ? undefined : byBundle[key];
}
