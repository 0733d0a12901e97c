import {
  matchHeader,
  RequestError,
  type Resource,
  readList,
  sendDocument,
  sendOperations,
  titleOf,
} from '../../api/content.ts';
import { type Job, type JsonObject, readJob } from '../../api/document.ts';
import { reasonOf } from '../../api/problem-texts.ts';
import { pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { sourceLanguage, translationLanguage } from '../../model/translations.ts';
import {
  isMovedBetween,
  type Move,
  moveBy,
  moveTo,
  operationOf,
  placeOf,
  rowsOf,
  type TreeRow,
  type TreeType,
  treeChanges,
  withPresent,
} from '../../model/tree.ts';
import { menusText } from '../../texts/menus.ts';
import { failureText } from '../../texts/problems.ts';

/** What became of a save. */
export type TreeOutcome =
  | { readonly kind: 'saved'; readonly job: Job | undefined; readonly count: number }
  | { readonly kind: 'unchanged' }
  /** Nothing was stored. The tree shows the present state. */
  | { readonly kind: 'refused'; readonly message: string };

/** The tree of a menu or of terms, with moves that are not stored yet. */
export class Tree {
  readonly type: TreeType;
  /** The sources: they have the parents and the weights. */
  sources = $state.raw<ReadonlyMap<string, Resource>>(new Map());
  /** The entities in the language of the screen. Without a translation, their source. */
  shown = $state.raw<ReadonlyMap<string, Resource>>(new Map());
  rows = $state.raw<readonly TreeRow[]>([]);
  isReady = $state(false);
  isSaving = $state(false);
  readonly isChanged = $derived.by(() => this.isReady && this.#changes().length > 0);
  #language: string | undefined;

  constructor(type: TreeType) {
    this.type = type;
  }

  /** Reads the tree in a language, and keeps moves. Throws RequestError. */
  async load(language: string | undefined): Promise<void> {
    this.#language = language;
    const all = await this.#readAll();
    const sources = new Map(all.map((each) => [each.id, each]));
    // A list in a language has only the entries that are translated into it.
    const isOther = language !== undefined && language !== site.schema.languages[0];
    const shown = isOther ? [...all, ...(await this.#readAll(language))] : all;
    const translated = all.filter((each) => translationLanguage(each) !== undefined);
    for (const [own, members] of Map.groupBy(translated, sourceLanguage)) {
      const ids = new Set(members.map(({ id }) => id));
      for (const source of await this.#readAll(own)) if (ids.has(source.id)) sources.set(source.id, source);
    }
    const rows = rowsOf(this.type, [...sources.values()], this.#titleIn(sources));
    this.rows = this.isChanged ? withPresent(this.rows, rows) : rows;
    this.sources = sources;
    this.shown = new Map(shown.map((each) => [each.id, each]));
    this.isReady = true;
  }

  titleOf(id: string): string {
    const resource = this.shown.get(id);
    return resource === undefined ? id : titleOf(resource);
  }

  hasChildren(id: string): boolean {
    const at = this.rows.findIndex((row) => row.id === id);
    return (this.rows[at + 1]?.depth ?? 0) > (this.rows[at]?.depth ?? 0);
  }

  /** True if the entity has no translation into the language of the screen. */
  isUntranslated(id: string): boolean {
    const resource = this.shown.get(id);
    const langcode = resource?.attributes.langcode;
    return this.#language !== undefined && typeof langcode === 'string' && langcode !== this.#language;
  }

  /** Returns what to announce. */
  move(id: string, move: Move): string {
    const isFlat = this.type.parent === undefined && (move === 'in' || move === 'out');
    const rows = isFlat ? this.rows : moveBy(this.rows, id, move);
    const title = this.titleOf(id);
    if (rows === this.rows) return menusText('menus.cannotMove', { title });
    this.rows = rows;
    return this.placeText(id);
  }

  /** Moves an entity to an index among the others. */
  drag(id: string, index: number, depth: number): void {
    this.rows = moveTo(this.rows, id, index, this.type.parent === undefined ? 0 : depth);
  }

  /** Such as `“Events” is now 2 of 4 below “About”.` */
  placeText(id: string): string {
    const { position, count, parent } = placeOf(this.rows, id);
    const parameters = { title: this.titleOf(id), position, count, parent: this.titleOf(parent) };
    return menusText(parent === '' ? 'menus.movedTop' : 'menus.moved', parameters);
  }

  discard(): void {
    this.rows = rowsOf(this.type, [...this.sources.values()], this.#titleIn(this.sources));
  }

  /**
   * Stores all moves in one request, which changes only entities with another parent or weight. If others have changed these
   * since, but not their places, the moves are sent again with their changes. Throws RequestError.
   */
  async save(): Promise<TreeOutcome> {
    if (this.isSaving) return { kind: 'unchanged' };
    this.isSaving = true;
    try {
      return await this.#send(true);
    } finally {
      this.isSaving = false;
    }
  }

  async #send(mayMerge: boolean): Promise<TreeOutcome> {
    const changes = this.#changes();
    if (changes.length === 0) return { kind: 'unchanged' };
    const fields = `?fields[${this.type.bundle.name}]=title`;
    try {
      const operations = changes.map((change) => operationOf(this.type, change, true));
      const { document } = await sendOperations(operations, fields);
      await this.load(this.#language);
      this.discard();
      return { kind: 'saved', job: readJob(document), count: changes.length };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.status !== 412 && error.status !== 404 && error.status !== 410) {
        return { kind: 'refused', message: await reasonOf(error) };
      }
      const before = this.sources;
      await this.load(this.#language);
      const moved = changes.filter(({ resource }) =>
        isMovedBetween(this.type, resource, this.sources.get(resource.id)),
      );
      const isSameTree = before.size === this.sources.size;
      if (moved.length === 0 && isSameTree && mayMerge) return this.#send(false);
      this.discard();
      const titles = [
        ...new Set(moved.map(({ resource }) => failureText('error.quoted', { title: titleOf(resource) }))),
      ];
      return { kind: 'refused', message: menusText('menus.conflict', { titles: titles.join(', ') }) };
    }
  }

  /** Creates an entity at the end of the top level. Throws RequestError. */
  async add(attributes: JsonObject): Promise<void> {
    const { bundle, weight } = this.type;
    const last = this.rows.findLast(({ depth }) => depth === 0);
    const source = last && this.sources.get(last.id);
    const next = source === undefined ? 0 : Number(source.attributes[weight.name] ?? 0) + 1;
    const data = { type: bundle.name, attributes: { ...attributes, [weight.name]: next } };
    await sendDocument('POST', pathTo(bundle), { data });
    await this.load(this.#language);
  }

  /** Changes an entity in the language of the screen, in which it may get a translation. Throws RequestError. */
  async change(id: string, attributes: JsonObject): Promise<void> {
    const { bundle } = this.type;
    const resource = this.shown.get(id);
    if (resource === undefined) return;
    const isNew = this.isUntranslated(id);
    const language = isNew ? this.#language : translationLanguage(resource);
    const path = pathTo(bundle, id, language === undefined ? {} : { langCode: language });
    const data = { type: bundle.name, id, attributes };
    if (isNew) await sendDocument('POST', path, { data });
    else await sendDocument('PATCH', path, { data }, matchHeader(resource));
    await this.load(this.#language);
  }

  #changes() {
    const all = [...this.sources.values()];
    return treeChanges(this.type, all, this.rows, this.#titleIn(this.sources));
  }

  #titleIn(resources: ReadonlyMap<string, Resource>): (resource: Resource) => string {
    return ({ id }) => {
      const resource = resources.get(id);
      return resource === undefined ? id : titleOf(resource);
    };
  }

  async #readAll(language?: string): Promise<readonly Resource[]> {
    const { bundle, parent, weight, enabled, address } = this.type;
    const { pageSize } = site.schema.limits;
    const names = [
      'title',
      'langcode',
      'path',
      'status',
      parent?.name,
      weight.name,
      enabled?.name,
      address?.name,
    ];
    const own = names.filter((name) => bundle.fields.some((field) => field.name === name));
    const query = new URLSearchParams({
      [`fields[${bundle.name}]`]: own.join(','),
      'page[limit]': String(pageSize),
      // Not what the bundle has by default.
      include: '',
      sort: 'id',
      filter: '',
      ...(language !== undefined && { langCode: language }),
    });
    const first = await readList(`${pathTo(bundle)}?${query}`);
    const all = [...first.items];
    for (let offset = pageSize; offset < first.count; offset += pageSize) {
      query.set('page[offset]', String(offset));
      all.push(...(await readList(`${pathTo(bundle)}?${query}`)).items);
    }
    return all;
  }
}
