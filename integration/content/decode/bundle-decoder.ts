import type { FileHistory } from '../../storage/driver.ts';
import type { ContentFile } from '../content-file.ts';
import type { Bundle } from '../content-index.ts';
import { type CollectorState, isDraft } from '../content-state.ts';
import type { FileCatalog } from '../file-catalog.ts';
import { type PublicationRule, type PublishedTexts, publicationRule } from '../publication.ts';
import type { KnownEntities } from '../references.ts';
import { shortTypeName } from '../resource-type.ts';
import { type AliasPattern, parseAliasPattern } from './alias.ts';
import { type DecodedFile, decodeFile } from './decode.ts';

export interface CollectorOptions {
  readonly published: PublishedTexts;
  readonly danglingReferences: 'error' | 'missing';
  /** BCP 47 tag of entities that name none. */
  readonly defaultLangcode: string;
  /** Alias patterns by bundle, for files that give no alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The site's `base`, which URLs of files begin with: starts with a slash, ends without one. None by default. */
  readonly base?: string;
}

/** Makes entities of files, by what the options say of their bundles. */
export interface BundleDecoder {
  /** Undefined where the bundle has no shape yet. */
  decode(
    state: CollectorState,
    bundle: Bundle,
    file: ContentFile,
    /** Those of the state by default. */
    known?: KnownEntities,
    /** Of a file as it was: when it was committed, Unix seconds. */
    at?: number,
  ): DecodedFile | undefined;
  publicationOf(bundle: Bundle): PublicationRule;
}

export function createBundleDecoder(options: CollectorOptions, files: FileCatalog): BundleDecoder {
  const aliasPatterns = new Map<string, { readonly pattern: AliasPattern | undefined }>();
  const publicationRules = new Map<string, PublicationRule>();

  function publicationOf(bundle: Bundle): PublicationRule {
    const known = publicationRules.get(bundle.name);
    if (known !== undefined) return known;
    const rule = publicationRule(optionOf(options.published, bundle));
    publicationRules.set(bundle.name, rule);
    return rule;
  }

  function aliasPatternOf(bundle: Bundle): AliasPattern | undefined {
    const known = aliasPatterns.get(bundle.name);
    if (known !== undefined) return known.pattern;
    const text = optionOf(options.aliases ?? {}, bundle);
    const pattern = text === undefined ? undefined : parseAliasPattern(text);
    aliasPatterns.set(bundle.name, { pattern });
    return pattern;
  }

  return {
    decode(state, bundle, file, known = state.index, at = undefined) {
      if (bundle.shape === undefined) return undefined;
      return decodeFile(file, {
        shape: bundle.shape,
        publication: publicationOf(bundle),
        known: { has: known.has, shared: state.index.shared },
        history: historyAt(state.history.get(file.key), at),
        defaultLangcode: options.defaultLangcode,
        aliasPattern: aliasPatternOf(bundle),
        danglingReferences: options.danglingReferences,
        isDraft: (reference) => isDraft(state, reference),
        files,
        base: options.base ?? '',
      });
    },
    publicationOf,
  };
}

/** What the history said of a file when it was last committed at `at`. */
function historyAt(now: FileHistory | undefined, at: number | undefined): FileHistory | undefined {
  return at === undefined ? now : { created: Math.min(now?.created ?? at, at), changed: at };
}

/** What an option says of a bundle, under its full or its short name. */
function optionOf<T>(byBundle: Readonly<Record<string, T>>, { name }: Bundle): T | undefined {
  const own = [name, shortTypeName(name)].find((each) => Object.hasOwn(byBundle, each));
  return own === undefined ? undefined : byBundle[own];
}
