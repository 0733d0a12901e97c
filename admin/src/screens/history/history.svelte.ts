import { matchHeader, type Resource, readResource, resourceIn, sendDocument } from '../../api/content.ts';
import { type Job, readJob } from '../../api/document.ts';
import { readOptions, type Version } from '../../api/entity-options.ts';
import { fileQuery } from '../../api/file-values.ts';
import { type Bundle, type Field, pathTo } from '../../api/schema.ts';
import { compareFields, type FieldDifference } from '../../model/compare.ts';
import { type Values, valuesOf, writeChanges } from '../../model/entity-form.ts';
import { isKept, type Obstacle, obstacleTo } from '../../model/restore.ts';
import { translationLanguage } from '../../model/translations.ts';

interface HistoryTarget {
  readonly bundle: Bundle;
  readonly id: string;
  /** The translation; undefined for the source. */
  readonly language: string | undefined;
}

/** A field that differs between a version and the present entity. */
export interface RestorableField extends FieldDifference {
  readonly obstacle: Obstacle | undefined;
  /** True if a restore leaves the field alone unless it is chosen. */
  readonly isKept: boolean;
}

/** The versions of an entity and what distinguishes them. */
export class History {
  versions = $state.raw<readonly Version[]>([]);
  /** The present entity; undefined until it is loaded. */
  present = $state.raw<Resource>();
  /** True if the newest version differs from the present entity. */
  isUncommitted = $state(false);
  #writable = $state.raw<ReadonlySet<string>>(new Set());
  readonly #target: HistoryTarget;
  /** Versions never change, so each is read once. */
  readonly #read = new Map<string, Promise<Resource>>();

  constructor(target: HistoryTarget) {
    this.#target = target;
  }

  /** Throws RequestError. */
  async load(): Promise<void> {
    const [options, present] = await Promise.all([readOptions(this.#path()), readResource(this.#path())]);
    const [newest] = options.versions;
    const isUncommitted = newest !== undefined && (await this.#differs(newest, present));
    this.#writable = options.writable;
    // Unchanged values stay the same objects, so they are not rendered again.
    this.versions = options.versions.map((version) => this.versionNamed(version.name) ?? version);
    if (this.present?.meta.revision !== present.meta.revision) this.present = present;
    this.isUncommitted = isUncommitted;
  }

  /** True if the account may change the entity. */
  get canRestore(): boolean {
    return this.#writable.size > 0;
  }

  versionNamed(name: string | null): Version | undefined {
    return this.versions.find((version) => version.name === name);
  }

  /** The changes of a version. Without an earlier version, all its values. Throws RequestError. */
  async changesIn(version: Version): Promise<readonly FieldDifference[]> {
    const before = this.#versionBefore(version);
    const [old, next] = await Promise.all([before && this.#resourceAt(before), this.#resourceAt(version)]);
    return this.#compare(old, next);
  }

  isOldest(version: Version): boolean {
    return this.#versionBefore(version) === undefined;
  }

  /** What restoring a version would change. Throws RequestError. */
  async changesTo(version: Version): Promise<readonly RestorableField[]> {
    const past = await this.#resourceAt(version);
    return this.#compare(this.present, past).map((difference) => ({
      ...difference,
      obstacle: obstacleTo(difference.field, past, this.#writable),
      isKept: isKept(difference.field, past),
    }));
  }

  /** Stores the values that fields have in a version. Returns the job of the commit, if the server reports it. Throws RequestError. */
  async restore(version: Version, fields: readonly Field[]): Promise<Job | undefined> {
    const { bundle, id } = this.#target;
    const all = this.#valuesOf(await this.#resourceAt(version));
    const values = Object.fromEntries(fields.map(({ name }) => [name, all[name]]));
    const document = writeChanges({ type: bundle.name, id }, bundle.fields, values, this.present);
    if (document === undefined || this.present === undefined) return undefined;
    const response = await sendDocument('PATCH', this.#path(), document, matchHeader(this.present));
    this.present = resourceIn(response);
    this.isUncommitted = true;
    return readJob(response.document);
  }

  #versionBefore(version: Version): Version | undefined {
    return this.versions[this.versions.indexOf(version) + 1];
  }

  #path(version?: Version): string {
    const { bundle, id } = this.#target;
    // Without a language, the server reads the default language but changes the source.
    const language = this.#target.language ?? translationLanguage(this.present);
    return pathTo(bundle, id, {
      ...fileQuery(bundle),
      ...(language !== undefined && { langCode: language }),
      ...(version && { resourceVersion: version.name }),
    });
  }

  #resourceAt(version: Version): Promise<Resource> {
    const reading = this.#read.get(version.name) ?? readResource(this.#path(version));
    this.#read.set(version.name, reading);
    reading.catch(() => this.#read.delete(version.name));
    return reading;
  }

  /** A version that no longer fits the schema differs. */
  async #differs(version: Version, present: Resource): Promise<boolean> {
    try {
      return this.#compare(await this.#resourceAt(version), present).length > 0;
    } catch {
      return true;
    }
  }

  #compare(before: Resource | undefined, after: Resource | undefined): readonly FieldDifference[] {
    return compareFields(this.#target.bundle.fields, this.#valuesOf(before), this.#valuesOf(after));
  }

  #valuesOf(resource: Resource | undefined): Values {
    return valuesOf(this.#target.bundle.fields, resource);
  }
}
