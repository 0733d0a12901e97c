import { account } from '../../api/account.svelte.ts';
import {
  matchHeader,
  RequestError,
  type Resource,
  readResource,
  resourceIn,
  sendDocument,
  titleOf,
} from '../../api/content.ts';
import { type Job, readJob } from '../../api/document.ts';
import {
  type Draft,
  type DraftKey,
  keepDraft,
  keepLastDraft,
  readDraft,
  removeDraft,
} from '../../api/drafts.ts';
import { readOptions } from '../../api/entity-options.ts';
import { fileQuery } from '../../api/file-values.ts';
import { type Bundle, type Field, pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { endOfUploads } from '../../api/uploads.ts';
import { decisionOf } from '../../model/conflicts.ts';
import { isFilled, isRequired, isSame } from '../../model/document.ts';
import {
  changedFields,
  FILE_TIMES,
  type FieldErrors,
  layOut,
  NO_ERRORS,
  placeErrors,
  rebase,
  type Values,
  valuesOf,
  withValue,
  writeChanges,
} from '../../model/entity-form.ts';
import { type Conflict, decide, type Side } from '../../model/merge.ts';
import { translationLanguage } from '../../model/translations.ts';
import { text } from '../../texts/texts.ts';

export interface EditorTarget {
  readonly bundle: Bundle;
  /** Undefined to create an entity. */
  readonly id?: string | undefined;
  /** The translation to edit; undefined for the source. */
  readonly language?: string | undefined;
  /** True to create the translation. */
  readonly isNewTranslation?: boolean;
}

/** What became of a request to save. */
export type Outcome =
  | { readonly kind: 'saved'; readonly resource: Resource; readonly job: Job | undefined }
  /** Nothing was sent, because nothing was changed. */
  | { readonly kind: 'unchanged' }
  /** Fields have errors, or need a decision. The form shows them. */
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string };

/**
 * The form of one entity: its stored values, the unsent changes, and what stands in their way. Unsent changes are kept in
 * the browser until they are stored or discarded.
 */
export class Editor {
  /** Has the id of a new entity as soon as it is created. */
  target: EditorTarget;
  readonly layout;
  /** The stored entity; undefined for a new one. */
  resource = $state.raw<Resource>();
  errors = $state.raw<FieldErrors>(NO_ERRORS);
  conflicts = $state.raw<readonly Conflict[]>([]);
  isReady = $state(false);
  /** True if the account may see past versions. */
  hasVersions = $state(false);
  isSaving = $state(false);
  /** When the restored changes were made, in milliseconds. */
  restoredFrom = $state<number>();
  /** False if the browser does not store the unsent changes. */
  isKept = $state(true);
  /** Names of fields that others changed while this form was open. */
  mergedFields = $state.raw<readonly string[]>([]);
  readonly values = $derived.by(() => ({ ...this.#stored, ...this.#changes }));
  /** True if there is something that would be lost. */
  readonly isChanged = $derived.by(() => !isSame(this.#changes, this.#initial));
  #stored = $state.raw<Values>({});
  #changes = $state.raw<Values>({});
  /** The values that both sides began with, of fields that have conflicts. */
  #disputed: Values = {};
  /** The first values of a new entity. */
  #initial = $state.raw<Values>({});
  #writable = $state.raw<ReadonlySet<string>>(new Set());
  #methods = $state.raw<ReadonlySet<string>>(new Set());
  #keeping: Promise<void> | undefined;
  #mustKeep = false;
  /** Ids of the conflicts that the server has stored for changes of this form. */
  readonly #overtaken = new Set<string>();
  readonly #idPrefix: string;
  readonly #keepsDraft: boolean;

  /** `idPrefix` separates the inputs of forms that are shown at the same time. */
  constructor(target: EditorTarget, { keepsDraft = true, idPrefix = 'field-' } = {}) {
    this.target = $state.raw(target);
    this.layout = layOut(target.bundle.fields);
    this.#keepsDraft = keepsDraft;
    this.#idPrefix = idPrefix;
  }

  get canSave(): boolean {
    return (this.#methods.has('POST') || this.#methods.has('PATCH')) && this.#writable.size > 0;
  }

  get canDelete(): boolean {
    return this.#methods.has('DELETE') && account.can('delete', this.target.bundle.name);
  }

  /** A new entity is a draft if the account may change entities but not publish them. */
  get canPublish(): boolean {
    const { name } = this.target.bundle;
    const staysDraft =
      this.resource === undefined && account.can('update', name) && !account.can('publish', name);
    return this.canSave && this.canSet({ name: 'status' }) && !staysDraft;
  }

  get isPublished(): boolean {
    return this.values.status === true;
  }

  /** The id of the first input of a field. */
  idOf({ name }: Pick<Field, 'name'>): string {
    return this.#idPrefix + name;
  }

  canSet({ name }: Pick<Field, 'name'>): boolean {
    return this.#writable.has(name);
  }

  isFieldChanged({ name }: Pick<Field, 'name'>): boolean {
    return Object.hasOwn(this.#changes, name) && !isSame(this.#changes[name], this.#initial[name]);
  }

  conflictsOf({ name }: Pick<Field, 'name'>): readonly Conflict[] {
    return this.conflicts.filter(({ field }) => field === name);
  }

  /** Reads the entity and the permissions of the account, and restores unsent changes. Throws RequestError. */
  async load(defaults: Values = {}): Promise<void> {
    const [resource] = await Promise.all([
      this.#isNew ? undefined : readResource(this.#path),
      this.#readOptions(),
    ]);
    this.#show(resource);
    const initial = resource === undefined && this.#writable.has('status') ? { status: false } : {};
    this.#initial = { ...initial, ...defaults };
    this.#changes = this.#initial;
    const draft = await this.readUnsent();
    if (draft !== undefined) await this.#restore(draft);
    this.isReady = true;
  }

  /** The unsent changes in the browser, also of an entity that no longer exists. */
  async readUnsent(): Promise<Draft | undefined> {
    return this.#keepsDraft ? readDraft(this.#draftKey).catch(() => undefined) : undefined;
  }

  set({ name }: Pick<Field, 'name'>, value: unknown): void {
    this.#changes = withValue(this.#stored, this.#changes, name, value);
    if (this.errors.byField.has(name)) {
      this.errors = {
        ...this.errors,
        byField: new Map([...this.errors.byField].filter(([field]) => field !== name)),
      };
    }
    this.#keep();
  }

  undo({ name }: Pick<Field, 'name'>): void {
    this.conflicts = this.conflicts.filter(({ field }) => field !== name);
    this.set({ name }, this.#initial[name] ?? this.#stored[name]);
  }

  /** Gives up all unsent changes. */
  async discard(): Promise<void> {
    this.#changes = this.#initial;
    this.conflicts = [];
    this.errors = NO_ERRORS;
    await this.#forget();
  }

  /** Takes the decisions for one conflict. */
  decide(conflict: Conflict, sides: readonly Side[]): void {
    this.conflicts = this.conflicts.filter((other) => other !== conflict);
    this.set({ name: conflict.field }, decide(this.values[conflict.field], conflict, sides));
  }

  /**
   * Sends the changes, and only those, once running uploads have ended. Changes of others since the entity was read are
   * merged first.
   */
  async save(): Promise<Outcome> {
    if (this.isSaving) return { kind: 'stopped' };
    this.isSaving = true;
    try {
      await endOfUploads();
      return await this.#send();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return this.#fail(error);
    } finally {
      this.isSaving = false;
    }
  }

  /** Throws RequestError. */
  async remove(): Promise<void> {
    await sendDocument('DELETE', this.#path, undefined, this.resource && matchHeader(this.resource));
    await this.#forget();
  }

  /** Reads the entity again, and merges if others have changed it. Throws RequestError. */
  async refresh(): Promise<void> {
    if (this.resource === undefined || this.isSaving) return;
    const resource = await readResource(this.#path);
    // Without a session, the server shows less.
    if (account.isSignedOut || this.isSaving) return;
    if (resource.meta.revision === this.resource.meta.revision) return;
    const before = this.#stored;
    this.#show(resource);
    this.#merge(before);
  }

  /** To be called when the page goes away: the latest changes may not be stored yet. */
  keepLast(): void {
    if (this.#keeping === undefined || !this.isChanged) return;
    try {
      keepLastDraft(this.#draft());
    } catch {
      // The storage is full, and the page can no longer show it.
    }
  }

  get #isNew(): boolean {
    return (
      this.resource === undefined && (this.target.id === undefined || this.target.isNewTranslation === true)
    );
  }

  get #path(): string {
    const { bundle, id } = this.target;
    const language = this.#language;
    return pathTo(bundle, id, {
      ...fileQuery(bundle),
      ...(language !== undefined && { langCode: language }),
    });
  }

  /** The language to send. Without one, the server reads the default language but changes the source. */
  get #language(): string | undefined {
    return this.target.language ?? translationLanguage(this.resource);
  }

  get #draftKey(): DraftKey {
    const { bundle, id, language } = this.target;
    // The form of the default language has two addresses, with and without it.
    const [base] = site.schema.languages;
    return {
      account: account.name,
      type: bundle.name,
      id,
      language: language === base ? undefined : language,
    };
  }

  get #fields(): readonly Field[] {
    return this.target.bundle.fields;
  }

  /** Reads the permissions of the account. */
  async #readOptions(): Promise<void> {
    const { bundle, id } = this.target;
    const options = await readOptions(this.#isNew ? pathTo(bundle) : this.#path);
    const isOwn = ({ name, untranslated }: Field) => name !== 'langcode' && untranslated !== true;
    const own = new Set(this.#fields.filter(isOwn).map(({ name }) => name));
    this.#methods = options.methods;
    // A new translation has only fields of its own.
    this.#writable = this.#isNew && id !== undefined ? options.writable.intersection(own) : options.writable;
    this.hasVersions = options.versions.length > 0;
  }

  async #send(): Promise<Outcome> {
    this.errors = NO_ERRORS;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (this.conflicts.length > 0) return { kind: 'stopped' };
      const { bundle, id } = this.target;
      const sent = this.#changes;
      const document = writeChanges({ type: bundle.name, id }, this.#fields, sent, this.resource);
      if (document === undefined) {
        void this.#forgetOvertaken();
        return { kind: 'unchanged' };
      }
      try {
        const response =
          this.resource === undefined
            ? await sendDocument('POST', this.#path, document)
            : await sendDocument('PATCH', this.#path, document, matchHeader(this.resource));
        return await this.#finish(resourceIn(response), sent, readJob(response.document));
      } catch (error) {
        // An entity that others have created at the same time is another one.
        if (!(error instanceof RequestError) || error.status !== 412 || this.resource === undefined)
          throw error;
        for (const { meta } of error.problems) {
          if (typeof meta?.conflict === 'string') this.#overtaken.add(meta.conflict);
        }
        const before = this.#stored;
        this.#show(await readResource(this.#path));
        this.#merge(before);
      }
    }
    return { kind: 'stopped' };
  }

  async #finish(resource: Resource, sent: Values, job: Job | undefined): Promise<Outcome> {
    const typedMeanwhile = Object.entries(this.#changes).filter(
      ([name, value]) => !isSame(value, sent[name]),
    );
    const wasNew = this.#isNew;
    this.#show(resource);
    this.#initial = {};
    this.#changes = {};
    this.restoredFrom = undefined;
    for (const [name, value] of typedMeanwhile)
      this.#changes = withValue(this.#stored, this.#changes, name, value);
    void this.#forgetOvertaken();
    if (wasNew) {
      await this.#forget();
      this.target = { ...this.target, id: resource.id };
    }
    this.#keep();
    // The form continues with its own values: the change is stored.
    if (wasNew) await this.#readOptions().catch(() => undefined);
    return { kind: 'saved', resource, job };
  }

  /** The form has decided these conflicts. If that cannot be sent, they stay in the list of conflicts. */
  async #forgetOvertaken(): Promise<void> {
    const ids = [...this.#overtaken];
    this.#overtaken.clear();
    for (const id of ids) {
      await sendDocument('PATCH', `/_conflicts/${id}`, decisionOf(id, 'theirs')).catch(() => undefined);
    }
  }

  #fail(error: RequestError): Outcome {
    const { byField, others } = placeErrors(error.problems, this.#fields);
    const messages = this.#fields.flatMap((field): [string, readonly string[]][] => {
      const found = byField.get(field.name);
      if (found === undefined) return [];
      const isMissing = isRequired(field) && !isFilled(this.values[field.name] ?? null);
      return [[field.name, isMissing ? [text('field.fillIn')] : found]];
    });
    this.errors = { byField: new Map(messages), others };
    return this.errors.byField.size > 0 ? { kind: 'stopped' } : { kind: 'failed', message: error.message };
  }

  #show(resource: Resource | undefined): void {
    this.resource = resource;
    this.#stored = valuesOf(this.#fields, resource);
  }

  /** Moves the changes from the values before onto the stored ones. */
  #merge(before: Values): void {
    const base = this.#withDisputed(before);
    const { changes, conflicts } = rebase(this.#fields, base, this.#stored, this.#changes);
    this.#changes = changes;
    this.conflicts = conflicts;
    this.#disputed = base;
    this.mergedFields = changedFields(before, this.#stored).filter((name) => !FILE_TIMES.includes(name));
    this.#keep();
  }

  /** The values from which the changes started: an undecided one did not start from the stored value. */
  #withDisputed(stored: Values): Values {
    const disputed = new Set(this.conflicts.map(({ field }) => field));
    const values = Object.entries(stored);
    return Object.fromEntries(
      values.map(([name, value]) => [name, disputed.has(name) ? this.#disputed[name] : value]),
    );
  }

  async #restore(draft: Draft): Promise<void> {
    const all = Object.entries(draft.changes);
    const known = all.filter(([name]) => this.#writable.has(name));
    this.#changes = Object.fromEntries(known);
    this.#merge({ ...this.#stored, ...draft.base });
    if (this.isChanged) this.restoredFrom = draft.saved;
    // They were saved, but the page went away before it knew.
    else if (known.length === all.length) await this.#forget();
  }

  async #forget(): Promise<void> {
    this.#mustKeep = false;
    this.restoredFrom = undefined;
    await this.#keeping;
    if (this.#keepsDraft && this.isKept) await removeDraft(this.#draftKey);
  }

  /** Stores the unsent changes in the browser. Changes during a store are stored after it. */
  #keep(): void {
    if (!this.#keepsDraft || !this.isReady) return;
    this.#mustKeep = true;
    this.#keeping ??= this.#keepAll();
  }

  async #keepAll(): Promise<void> {
    try {
      while (this.#mustKeep) {
        this.#mustKeep = false;
        if (!this.isChanged) await removeDraft(this.#draftKey);
        else await keepDraft(this.#draft());
      }
      this.isKept = true;
    } catch {
      // The browser has no storage, or no room in it. The form says so.
      this.isKept = false;
    }
    this.#keeping = undefined;
  }

  #draft(): Draft {
    const names = Object.keys(this.#changes);
    const base = this.#withDisputed(this.#stored);
    return {
      key: this.#draftKey,
      title: this.resource ? titleOf(this.resource) : String(this.values.title ?? ''),
      base: Object.fromEntries(names.map((name) => [name, base[name]])),
      changes: this.#changes,
      saved: Date.now(),
    };
  }
}

/** How often a save is tried again after merging the changes of others. */
const MAX_ATTEMPTS = 3;
