import { account } from '../../api/account.svelte.ts';
import {
  matchHeader,
  RequestError,
  type Resource,
  readResource,
  resourceIn,
  sendDocument,
  sendOperations,
  titleOf,
} from '../../api/content.ts';
import { type Job, type JsonObject, objectOf, readJob } from '../../api/document.ts';
import type { Draft, DraftOrigin, DraftTarget } from '../../api/drafts.ts';
import { readOptions } from '../../api/entity-options.ts';
import { fileQuery } from '../../api/file-values.ts';
import { afterFirst } from '../../api/first.ts';
import { endOfUploads } from '../../api/running.ts';
import { type Bundle, type Field, pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { hasUnfinishedChanges, problemsIn, sendEntry, unfinishedPath } from '../../api/unfinished.ts';
import { decisionOf } from '../../model/decision.ts';
import { lacksAlt } from '../../model/descriptions.ts';
import { isSame } from '../../model/document.ts';
import {
  changedFields,
  FILE_TIMES,
  layOut,
  rebase,
  type Values,
  valuesOf,
  withValue,
  writeChanges,
} from '../../model/entity-form.ts';
import { type FieldErrors, NO_ERRORS } from '../../model/field-errors.ts';
import { type Conflict, decide, mergeField, type Side } from '../../model/merge.ts';
import { endFields, scheduleAhead } from '../../model/publication.ts';
import { otherLanguages, translationLanguage } from '../../model/translations.ts';
import { text } from '../../texts/texts.ts';
import { KeptChanges } from './kept-changes.svelte.ts';

export interface EditorTarget {
  readonly bundle: Bundle;
  /** Undefined to create an entity. */
  readonly id?: string | undefined;
  /** The translation to edit; undefined for the source. */
  readonly language?: string | undefined;
  /** True to create the translation. */
  readonly isNewTranslation?: boolean;
  /** True for a draft, which does not pass the schema yet. */
  readonly isDraft?: boolean;
  /** The path of a file with errors, to change its fields. */
  readonly faulty?: string | undefined;
}

interface EditorOptions {
  readonly keepsDraft?: boolean;
  readonly idPrefix?: string;
  readonly slot?: string | undefined;
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
  /** Errors of fields in the stored file. */
  fileErrors = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());
  /** Errors of the values in the preview, by the path of the field or part. */
  previewErrors = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());
  conflicts = $state.raw<readonly Conflict[]>([]);
  isReady = $state(false);
  /** True if the account may see past versions. */
  hasVersions = $state(false);
  isSaving = $state(false);
  /** When the restored changes were made, in milliseconds. */
  restoredFrom = $state<number>();
  /** What the first values of a new entry are from. */
  origin = $state.raw<DraftOrigin>();
  /** Names of fields that others, or other tabs, changed while this form was open. */
  mergedFields = $state.raw<readonly string[]>([]);
  /** Who changed these; `draft` if they have changed since the restored changes were made. */
  mergedFrom = $state.raw<'others' | 'tab' | 'draft'>('others');
  readonly values = $derived.by(() => ({ ...this.#stored, ...this.#changes }));
  /** The language of the entry, such as `de`. */
  readonly language = $derived.by(() => String(this.values.langcode ?? site.schema.languages[0] ?? 'en'));
  /** True if there is something that would be lost. */
  readonly isChanged = $derived.by(() => !isSame(this.#changes, this.#initial));
  /** False if the file of the entry has no place for a text. */
  readonly hasBody = $derived.by(() =>
    this.resource === undefined ? this.target.bundle.hasBody !== false : this.#stored.body !== null,
  );
  #stored = $state.raw<Values>({});
  #changes = $state.raw<Values>({});
  /** The values that both sides began with, of fields that have conflicts. */
  #disputed: Values = {};
  /** The first values of a new entity. */
  #initial = $state.raw<Values>({});
  #writable = $state.raw<ReadonlySet<string>>(new Set());
  #methods = $state.raw<ReadonlySet<string>>(new Set());
  /** Ids of the conflicts that the server has stored for changes of this form. */
  readonly #overtaken = new Set<string>();
  readonly #idPrefix: string;
  /** False for a form whose changes are lost when it goes away. */
  readonly keepsDraft: boolean;
  /** The unsent changes in the browser, and those of other tabs. */
  readonly kept: KeptChanges;
  /** Drafts of closed tabs that are not part of the changes yet. The first may wait for decisions. */
  #waiting: readonly Draft[] = [];
  /** Slots of drafts with values that the account may no longer change. Only the drafts have these. */
  #partial: ReadonlySet<string> = new Set();
  /** True if the first waiting draft waits for decisions about its own values. */
  #isDeciding = false;
  /** Fields in which the stored entry and its unfinished changes conflict. The next save sends the decisions. */
  #decided: ReadonlySet<string> = new Set();
  /** True if another tab has stored a change that this form has not merged yet. */
  #isTabAhead = false;

  /** `idPrefix` separates the inputs of forms that are shown at the same time. `slot` is the place of a new entity. */
  constructor(target: EditorTarget, { keepsDraft = true, idPrefix = 'field-', slot }: EditorOptions = {}) {
    this.target = $state.raw(target);
    this.layout = layOut(target.bundle.fields);
    this.keepsDraft = keepsDraft;
    this.#idPrefix = idPrefix;
    this.kept = new KeptChanges(this, slot);
  }

  get canSave(): boolean {
    return (this.#methods.has('POST') || this.#methods.has('PATCH')) && this.#writable.size > 0;
  }

  get canDelete(): boolean {
    const { bundle, isDraft } = this.target;
    return this.#methods.has('DELETE') && (isDraft === true || account.can('delete', bundle.name));
  }

  /** A new entity is a draft if the account may change entities but not publish them. */
  get canPublish(): boolean {
    const { name } = this.target.bundle;
    const staysDraft =
      this.resource === undefined && account.can('update', name) && !account.can('publish', name);
    const isFaulty = this.target.faulty !== undefined;
    return this.canSave && this.canSet({ name: 'status' }) && !staysDraft && !isFaulty;
  }

  get isPublished(): boolean {
    return this.values.status === true;
  }

  /** The id of the first input of a field. */
  idOf({ name }: Pick<Field, 'name'>): string {
    return this.#idPrefix + name;
  }

  get idPrefix(): string {
    return this.#idPrefix;
  }

  /** Messages for the input of a part of a value: its id is that of the field and the steps to the part. */
  errorsAt(id: string): readonly string[] {
    const path = id.slice(this.#idPrefix.length);
    return this.errors.byPart.get(path)?.messages ?? this.previewErrors.get(path) ?? [];
  }

  /** True if an input in the field or part with this id has errors, or had one of `errors`. */
  hasErrorsIn(id: string, { byField, byPart }: FieldErrors = this.errors): boolean {
    const path = id.slice(this.#idPrefix.length);
    return (
      byField.has(path) || [...byPart.keys()].some((each) => each === path || each.startsWith(`${path}/`))
    );
  }

  /** The values that differ from the stored ones. */
  get changes(): Values {
    return this.#changes;
  }

  canSet({ name }: Pick<Field, 'name'>): boolean {
    return this.#writable.has(name);
  }

  isFieldChanged({ name }: Pick<Field, 'name'>): boolean {
    return Object.hasOwn(this.#changes, name) && !isSame(this.#changes[name], this.#initial[name]);
  }

  /** The errors of the last save, else of the preview, else those in the file as long as the value is that of the file. */
  errorsOf(field: Pick<Field, 'name'>): readonly string[] {
    const { name } = field;
    const inFile = this.isFieldChanged(field) ? undefined : this.fileErrors.get(name);
    return this.errors.byField.get(name) ?? this.previewErrors.get(name) ?? inFile ?? [];
  }

  conflictsOf({ name }: Pick<Field, 'name'>): readonly Conflict[] {
    return this.conflicts.filter(({ field }) => field === name);
  }

  /** Reads the entity and the permissions of the account, and restores unsent changes. Throws RequestError. */
  async load(defaults: Values = {}): Promise<void> {
    const stored = this.#isNew ? undefined : this.#readStored();
    // Decides the address of a draft.
    if (this.target.isDraft) await stored;
    const [resource] = await Promise.all([stored, this.#readOptions()]);
    this.#show(resource);
    const initial = resource === undefined && this.#writable.has('status') ? { status: false } : {};
    this.#initial = { ...initial, ...defaults };
    this.#changes = this.#initial;
    this.#waiting = await this.kept.open();
    const isPartial = ({ changes }: Draft) => Object.keys(changes).some((name) => !this.#writable.has(name));
    this.#partial = new Set(this.#waiting.filter(isPartial).map(({ key }) => key.slot));
    this.isReady = true;
    this.#showDisputed();
    this.#restore();
    this.kept.connect();
    void this.#findUnfinished();
  }

  set({ name }: Pick<Field, 'name'>, value: unknown): void {
    const before = this.values[name];
    this.#changes = withValue(this.#stored, this.#changes, name, value);
    const { byField, byPart } = this.errors;
    if (byField.has(name) || [...byPart.values()].some(({ field }) => field === name)) {
      const own = [...byPart].filter(
        ([path, { field }]) => field !== name || isSame(at(before, path), at(value, path)),
      );
      this.errors = {
        ...this.errors,
        byField: new Map([...byField].filter(([field]) => field !== name)),
        byPart: new Map(own),
      };
    }
    this.#keep();
  }

  undo({ name }: Pick<Field, 'name'>): void {
    this.conflicts = this.conflicts.filter(({ field }) => field !== name);
    this.set({ name }, this.#initial[name] ?? this.#stored[name]);
    this.#continue();
  }

  /** Gives up all unsent changes. */
  async discard(): Promise<void> {
    this.#changes = this.#initial;
    this.conflicts = [];
    this.errors = NO_ERRORS;
    this.kept.take(...(await this.kept.open()));
    this.#waiting = [];
    await this.forget();
  }

  /** Takes the decisions for one conflict. */
  decide(conflict: Conflict, sides: readonly Side[]): void {
    this.conflicts = this.conflicts.filter((other) => other !== conflict);
    this.set({ name: conflict.field }, decide(this.values[conflict.field], conflict, sides));
    this.#continue();
  }

  /**
   * Sends the changes, and only those, once running uploads have ended. Changes of others since the entity was read are
   * merged first. `unpublished` has the languages of translations that are taken down in the same step.
   */
  async save(unpublished: readonly string[] = []): Promise<Outcome> {
    if (this.isSaving) return { kind: 'stopped' };
    const { isEmpty } = scheduleAhead(this.values, Date.now());
    const [end] = endFields(this.#fields);
    if (isEmpty && end !== undefined) {
      const errors = [text('error.endsBeforeItBegins')];
      this.errors = { ...NO_ERRORS, byField: new Map([[end.name, errors]]) };
      return { kind: 'stopped' };
    }
    if (lacksAlt(this.#changes)) {
      const { altErrors } = await import('../../model/alt-errors.ts');
      this.errors = altErrors(this.#changes, this.#fields);
      return { kind: 'stopped' };
    }
    this.isSaving = true;
    try {
      await endOfUploads();
      return await this.#send(unpublished);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return await this.#fail(error);
    } finally {
      this.isSaving = false;
    }
  }

  /** To be called when the entity is deleted: its unsent changes go too. */
  async forget(): Promise<void> {
    await this.kept.forget();
    this.restoredFrom = undefined;
    this.origin = undefined;
  }

  /** The languages of the translations of a source, as far as the account sees them. */
  get languages(): readonly string[] {
    return this.resource === undefined ? [] : otherLanguages(this.resource);
  }

  /** Those whose translations are published. */
  get publishedLanguages(): readonly string[] {
    const translations = objectOf(this.resource?.meta.translations);
    return this.languages.filter((code) => objectOf(translations[code]).status === true);
  }

  /** Reads the entity again, and merges if others have changed it. Throws RequestError. */
  async refresh(): Promise<void> {
    if (this.resource === undefined || this.isSaving) return;
    const resource = await this.#readStored();
    // Without a session, the server shows less.
    if (account.isSignedOut || this.isSaving) return;
    if (resource.meta.revision === this.resource.meta.revision) return;
    const before = this.#stored;
    this.#show(resource);
    this.#merge(before);
  }

  /** To be called when another tab has stored a change. */
  onStored(): void {
    this.#isTabAhead = true;
    // The next save reports a failure.
    this.refresh().catch(() => undefined);
  }

  get draftTarget(): DraftTarget {
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

  /** The unsent changes to keep; undefined if there are none. */
  get draft(): Omit<Draft, 'key'> | undefined {
    if (!this.isChanged) return undefined;
    const names = Object.keys(this.#changes);
    const base = this.#withDisputed(this.#stored);
    return {
      title: this.resource ? titleOf(this.resource) : String(this.values.title ?? ''),
      base: Object.fromEntries(names.map((name) => [name, base[name]])),
      changes: this.#changes,
      saved: Date.now(),
      ...(this.origin && { origin: this.origin }),
    };
  }

  get #isNew(): boolean {
    return (
      this.resource === undefined && (this.target.id === undefined || this.target.isNewTranslation === true)
    );
  }

  /** Reads the stored entity. A draft may have become an entry meanwhile. Throws RequestError. */
  async #readStored(): Promise<Resource> {
    try {
      return await readResource(this.#path);
    } catch (error) {
      const { isDraft } = this.target;
      if (!(isDraft && error instanceof RequestError && error.status === 404)) throw error;
      this.target = { ...this.target, isDraft: false };
      return readResource(this.#path);
    }
  }

  get #path(): string {
    const { bundle, id, isDraft, faulty } = this.target;
    if (isDraft || faulty !== undefined) return unfinishedPath(bundle, this.target, fileQuery(bundle));
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

  /** The address for an entry that does not pass the schema. Undefined for an entry to publish, which must be complete. */
  get #draftPath(): string | undefined {
    const { bundle, isDraft, faulty } = this.target;
    const publishes = this.isPublished && this.#stored.status !== true;
    if (publishes || isDraft || faulty !== undefined) return undefined;
    const language = this.#isNew ? this.target.language : this.#language;
    return unfinishedPath(bundle, { ...this.target, language }, fileQuery(bundle));
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

  async #send(unpublished: readonly string[]): Promise<Outcome> {
    this.errors = NO_ERRORS;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (this.conflicts.length > 0) return { kind: 'stopped' };
      const { bundle, id } = this.target;
      const decided = Object.entries(this.values).filter(([name]) => this.#decided.has(name));
      const sent = { ...Object.fromEntries(decided), ...this.#changes };
      const document = writeChanges(
        { type: bundle.name, id },
        this.#fields,
        sent,
        this.resource,
        this.#decided,
      );
      if (document === undefined) {
        void this.#forgetOvertaken();
        return { kind: 'unchanged' };
      }
      try {
        if (this.resource !== undefined && unpublished.length > 0) {
          const { document: answer } = await sendOperations(this.#withUnpublished(document, unpublished));
          return await this.#finish(await readResource(this.#path), sent, readJob(answer));
        }
        const response =
          this.resource === undefined
            ? await sendEntry('POST', this.#path, this.#draftPath, document)
            : await sendEntry('PATCH', this.#path, this.#draftPath, document, matchHeader(this.resource));
        return await this.#finish(resourceIn(response), sent, readJob(response.document));
      } catch (error) {
        if (!(error instanceof RequestError)) throw error;
        if (error.problems.some(({ code }) => code === 'draft-exists')) {
          await this.#openUnfinished();
          continue;
        }
        // An entity that others have created at the same time is another one.
        const isOutdated = (status = 0) => status === 412 || (status === 404 && this.target.isDraft);
        if (!isOutdated(error.status) || this.resource === undefined) throw error;
        for (const { meta } of error.problems) {
          if (typeof meta?.conflict === 'string') this.#overtaken.add(meta.conflict);
        }
        await this.#readAgain();
      }
    }
    return { kind: 'stopped' };
  }

  #withUnpublished(document: JsonObject, languages: readonly string[]): readonly JsonObject[] {
    const { type = '', id = '', meta = {} } = this.resource ?? {};
    const data = { type, id, attributes: { status: false } };
    return [
      { op: 'update', ...document, meta: { ifMatch: meta.revision } },
      ...languages.map((langCode) => ({ op: 'update', data, meta: { langCode } })),
    ];
  }

  async #finish(resource: Resource, sent: Values, job: Job | undefined): Promise<Outcome> {
    const typedMeanwhile = Object.entries(this.#changes).filter(
      ([name, value]) => !isSame(value, sent[name]),
    );
    const wasNew = this.#isNew;
    const isDraft = resource.meta.draft !== undefined;
    const isMoved = wasNew || isDraft !== (this.target.isDraft ?? false);
    this.#show(resource);
    this.#initial = {};
    this.#changes = {};
    this.restoredFrom = undefined;
    this.#decided = new Set();
    this.origin = undefined;
    for (const [name, value] of typedMeanwhile)
      this.#changes = withValue(this.#stored, this.#changes, name, value);
    void this.#forgetOvertaken();
    if (wasNew) await this.forget();
    if (isMoved) this.target = { ...this.target, id: resource.id, isDraft };
    this.#keep();
    this.kept.connect();
    this.kept.tell('stored');
    // The form continues with its own values: the change is stored.
    if (isMoved) await this.#readOptions().catch(() => undefined);
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

  async #fail(error: RequestError): Promise<Outcome> {
    const { formErrors } = await import('../../model/form-errors.ts');
    const { message, ...errors } = await formErrors(error, this.#fields, this.values);
    this.errors = errors;
    return errors.byField.size + errors.byPart.size > 0 ? { kind: 'stopped' } : { kind: 'failed', message };
  }

  #show(resource: Resource | undefined): void {
    this.resource = resource;
    this.#stored = valuesOf(this.#fields, resource);
    const inFile = resource === undefined ? [] : problemsIn(resource);
    const byField = Map.groupBy(inFile, ({ field }) => field);
    this.fileErrors = new Map([...byField].map(([name, all]) => [name, all.map(({ detail }) => detail)]));
  }

  /** Continues with the unfinished changes of the entry, if there are any. Changes of this form are merged with them. */
  async #findUnfinished(): Promise<void> {
    const { bundle, id, isDraft, faulty } = this.target;
    if (this.#isNew || id === undefined || isDraft || faulty !== undefined) return;
    if (!this.keepsDraft || !this.canSave) return;
    await afterFirst();
    const language = translationLanguage(this.resource);
    if (!(await hasUnfinishedChanges(bundle.name, id, language)) || this.isSaving) return;
    // The next save reports a failure.
    await this.#openUnfinished().catch(() => undefined);
    this.mergedFields = [];
  }

  async #openUnfinished(): Promise<void> {
    this.target = { ...this.target, isDraft: true, language: translationLanguage(this.resource) };
    await this.#readAgain();
    await this.#readOptions();
  }

  async #readAgain(): Promise<void> {
    const before = this.#stored;
    this.#show(await this.#readStored());
    this.#merge(before);
  }

  /** Asks about fields that the stored entry and its unfinished changes have in different versions. */
  #showDisputed(): void {
    const { base, present } = objectOf(objectOf(this.resource?.meta.draft).conflicts);
    this.#decided = new Set();
    if (base === undefined) return;
    const [before, theirs] = [base, present].map((part) => valuesOf(this.#fields, part));
    const parts = ['attributes', 'relationships'].map((part) => objectOf(objectOf(base)[part]));
    this.#disputed = { ...this.#stored };
    for (const field of this.#fields) {
      const { name } = field;
      if (!parts.some((values) => Object.hasOwn(values, name))) continue;
      if (this.#writable.has(name)) this.#decided = new Set([...this.#decided, name]);
      const { value, conflicts } = mergeField(field, before?.[name], theirs?.[name], this.values[name]);
      this.#changes = withValue(this.#stored, this.#changes, name, value);
      this.conflicts = [...this.conflicts.filter((conflict) => conflict.field !== name), ...conflicts];
    }
  }

  /** Moves the changes from the values before onto the stored ones. */
  #merge(before: Values): void {
    const base = this.#withDisputed(before);
    const { changes, conflicts } = rebase(this.#fields, base, this.#stored, this.#changes);
    this.#changes = changes;
    this.conflicts = conflicts;
    this.#disputed = base;
    this.#showDisputed();
    this.#reportMerged(before, this.#isTabAhead ? 'tab' : 'others');
    this.#isTabAhead = false;
    this.#isDeciding = false;
    this.#keep();
    this.#restoreNext();
  }

  /** The values from which the changes started: an undecided one did not start from the stored value. */
  #withDisputed(stored: Values): Values {
    const disputed = new Set(this.conflicts.map(({ field }) => field));
    const values = Object.entries(stored);
    return Object.fromEntries(
      values.map(([name, value]) => [name, disputed.has(name) ? this.#disputed[name] : value]),
    );
  }

  #restore(): void {
    const { saved, origin } = this.#waiting.at(-1) ?? {};
    this.origin = origin;
    this.#restoreNext();
    // Unless they were saved, but the page went away before it knew.
    if (this.isChanged) this.restoredFrom = saved;
  }

  /** After a decision. */
  #continue(): void {
    if (this.conflicts.length > 0) return;
    if (this.#isDeciding) this.#takeFirst();
    this.#isDeciding = false;
    this.#restoreNext();
  }

  /** Adds the drafts of closed tabs to the changes, one after another, until something has to be decided. */
  #restoreNext(): void {
    let [draft] = this.#waiting;
    if (draft === undefined) return;
    while (draft !== undefined && this.conflicts.length === 0) {
      this.#add(draft);
      const disputed = this.conflicts.filter(({ isFromTab }) => isFromTab).map(({ field }) => field);
      this.#isDeciding = disputed.length > 0;
      if (!this.#isDeciding) this.#takeFirst();
      else {
        // The form has everything else of it now.
        const changes = Object.entries(draft.changes).filter(([name]) => disputed.includes(name));
        this.#waiting = [{ ...draft, changes: Object.fromEntries(changes) }, ...this.#waiting.slice(1)];
      }
      [draft] = this.#waiting;
    }
    this.#keep();
  }

  #takeFirst(): void {
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    if (first !== undefined && !this.#partial.has(first.key.slot)) this.kept.take(first);
  }

  /** Merges a draft with the stored values, and then with the changes of this form. */
  #add(draft: Draft): void {
    const wanted = Object.entries(draft.changes).filter(([name]) => this.#writable.has(name));
    const base = { ...this.#stored, ...draft.base };
    const theirs = rebase(this.#fields, base, this.#stored, Object.fromEntries(wanted));
    const changes: Record<string, unknown> = { ...this.#changes };
    const conflicts: Conflict[] = [];
    this.#disputed = { ...this.#stored };
    for (const field of this.#fields) {
      const { name } = field;
      if (!Object.hasOwn(theirs.changes, name)) continue;
      if (this.isFieldChanged(field)) {
        const merged = mergeField(field, this.#stored[name], theirs.changes[name], changes[name]);
        changes[name] = merged.value;
        conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, isFromTab: true })));
      } else {
        changes[name] = theirs.changes[name];
        conflicts.push(...theirs.conflicts.filter((conflict) => conflict.field === name));
        this.#disputed = { ...this.#disputed, [name]: base[name] };
      }
    }
    this.#changes = changes;
    this.conflicts = conflicts;
    this.#reportMerged(base, 'draft');
  }

  #reportMerged(before: Values, from: typeof this.mergedFrom): void {
    this.mergedFields = changedFields(before, this.#stored).filter((name) => !FILE_TIMES.includes(name));
    this.mergedFrom = from;
  }

  #keep(): void {
    if (this.isReady) this.kept.keep();
  }
}

/** The part of a value at a path such as `field_blocks/1/heading`. */
function at(value: unknown, path: string): unknown {
  const steps = path.split('/').slice(1);
  return steps.reduce<unknown>(
    (part, step) => (typeof part === 'object' && part !== null ? Reflect.get(part, step) : undefined),
    value,
  );
}

/** How often a save is tried again after merging the changes of others. */
const MAX_ATTEMPTS = 3;
