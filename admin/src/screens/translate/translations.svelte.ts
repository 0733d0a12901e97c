import { type Resource, readResource } from '../../api/content.ts';
import { readOptions } from '../../api/entity-options.ts';
import { fileQuery } from '../../api/file-values.ts';
import { type Bundle, pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { type Differences, readOutdated } from '../../api/source-changes.ts';
import { readDrafts, type StoredDraft } from '../../api/unfinished-lists.ts';
import { type Values, valuesOf } from '../../model/entity-form.ts';
import { languageStates, sourceLanguage } from '../../model/translations.ts';

/** An entity in its own language, and which translations it has. */
export class Translations {
  /** Undefined until it is loaded. */
  source = $state.raw<Resource>();
  /** Codes of the languages in which the account may create a translation. */
  creatable = $state.raw<ReadonlySet<string>>(new Set());
  /** How the text of the source has changed since its outdated translations, by language and field. */
  outdated = $state.raw<ReadonlyMap<string, Differences>>(new Map());
  /** Drafts of translations that are not complete, by language. */
  drafts = $state.raw<ReadonlyMap<string, StoredDraft>>(new Map());
  readonly values: Values = $derived.by(() => valuesOf(this.#bundle.fields, this.source));
  readonly states = $derived(
    (this.source ? languageStates(site.schema.languages, this.source) : []).map((state) => ({
      ...state,
      isOutdated: this.outdated.has(state.code),
      isIncomplete: state.state === 'missing' && this.drafts.has(state.code),
    })),
  );
  readonly #bundle: Bundle;
  readonly #id: string;

  constructor(bundle: Bundle, id: string) {
    this.#bundle = bundle;
    this.#id = id;
  }

  /** Throws RequestError. */
  async load(): Promise<void> {
    const [entity, { translatable }, drafts] = await Promise.all([
      readResource(this.#path()),
      readOptions(this.#path()),
      readDrafts(this.#bundle.name),
    ]);
    const language = sourceLanguage(entity);
    const source =
      entity.attributes.langcode === language
        ? entity
        : await readResource(this.#path({ langCode: language }));
    const marked = languageStates(site.schema.languages, source).filter(({ isOutdated }) => isOutdated);
    this.outdated = await readOutdated(
      this.#bundle,
      source,
      marked.map(({ code }) => code),
    );
    const own = drafts.filter(({ id }) => id === source.id);
    this.drafts = new Map(own.flatMap((draft) => (draft.language ? [[draft.language, draft]] : [])));
    this.source = source;
    this.creatable = translatable;
  }

  #path(query: Readonly<Record<string, string>> = {}): string {
    return pathTo(this.#bundle, this.#id, { ...fileQuery(this.#bundle), ...query });
  }
}
