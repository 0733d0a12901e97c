import { type Resource, readResource } from '../../api/content.ts';
import { readOptions, type Version } from '../../api/entity-options.ts';
import { fileQuery } from '../../api/file-values.ts';
import { type Bundle, pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { compareFields, type FieldDifference } from '../../model/compare.ts';
import { type Values, valuesOf } from '../../model/entity-form.ts';
import { languageStates, sourceLanguage } from '../../model/translations.ts';

/** An entity in its own language, and which translations it has. */
export class Translations {
  /** Undefined until it is loaded. */
  source = $state.raw<Resource>();
  /** Codes of the languages in which the account may create a translation. */
  creatable = $state.raw<ReadonlySet<string>>(new Set());
  readonly values: Values = $derived.by(() => valuesOf(this.#bundle.fields, this.source));
  readonly states = $derived(this.source ? languageStates(site.schema.languages, this.source) : []);
  readonly #bundle: Bundle;
  readonly #id: string;

  constructor(bundle: Bundle, id: string) {
    this.#bundle = bundle;
    this.#id = id;
  }

  /** Throws RequestError. */
  async load(): Promise<void> {
    const [entity, { translatable }] = await Promise.all([
      readResource(this.#path()),
      readOptions(this.#path()),
    ]);
    const language = sourceLanguage(entity);
    this.source =
      entity.attributes.langcode === language
        ? entity
        : await readResource(this.#path({ langCode: language }));
    this.creatable = translatable;
  }

  /**
   * How the source has changed since a translation was last committed, by field. Empty without past versions. Throws
   * RequestError.
   */
  async changesSince(language: string): Promise<ReadonlyMap<string, FieldDifference>> {
    const { source } = this;
    if (source === undefined) return new Map();
    const langCode = String(source.attributes.langcode);
    const [{ versions }, translation] = await Promise.all([
      readOptions(this.#path({ langCode })),
      readOptions(this.#path({ langCode: language })),
    ]);
    const version = versionAt(versions, translation.versions[0]);
    if (version === undefined) return new Map();
    const past = await readResource(this.#path({ langCode, resourceVersion: version.name }));
    const differences = compareFields(
      this.#bundle.fields,
      valuesOf(this.#bundle.fields, past),
      valuesOf(this.#bundle.fields, source),
    );
    return new Map(differences.map((difference) => [difference.field.name, difference]));
  }

  #path(query: Readonly<Record<string, string>> = {}): string {
    return pathTo(this.#bundle, this.#id, { ...fileQuery(this.#bundle), ...query });
  }
}

/** The version of the source when the translation was committed. */
function versionAt(versions: readonly Version[], translation: Version | undefined): Version | undefined {
  if (translation === undefined) return undefined;
  const time = Date.parse(translation.changed);
  return versions.find(({ changed }) => Date.parse(changed) <= time);
}
