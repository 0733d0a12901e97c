import { RequestError, type Resource, type ResourceList, readList } from '../../api/content.ts';
import { readExcerpts } from '../../api/excerpts.ts';
import { site } from '../../api/site.svelte.ts';
import { titles } from '../../api/titles.svelte.ts';
import {
  bundlesOf,
  type ListState,
  pagePath,
  readState,
  statusCountPath,
  statusValues,
  writeState,
} from '../../model/content-list.ts';
import type { Excerpt } from '../../model/excerpt.ts';
import { keyOf } from '../../model/reference.ts';
import { href, router } from '../../router.svelte.ts';

/** The list that the address describes, its current page, and the selected entries. */
export class ContentList {
  readonly state: ListState = $derived(readState(router.query));
  /** The rows of the last response stay until the next one has arrived. */
  result = $state.raw<ResourceList>();
  /** Numbers of entries by status, if some can be scheduled. Facets count the flag only. */
  statusCounts = $state.raw<ReadonlyMap<string, number>>();
  /** The places of the searched words in the entries, by key. */
  excerpts = $state.raw<ReadonlyMap<string, Excerpt>>(new Map());
  failure = $state<string>();
  isLoading = $state(false);
  /** Selected entries by key. */
  selected = $state.raw<ReadonlyMap<string, Resource>>(new Map());
  /** True if everything that matches is selected, on all pages. */
  isAllSelected = $state(false);
  #running = new AbortController();

  readonly pages = $derived(Math.max(1, Math.ceil((this.result?.count ?? 0) / site.schema.limits.pageSize)));
  readonly selectedCount = $derived(this.isAllSelected ? (this.result?.count ?? 0) : this.selected.size);

  /** Reads the current page. To be called when the address or the content has changed. */
  async load(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.isLoading = true;
    try {
      const { state } = this;
      const [result, ...counts] = await Promise.all([
        readList(pagePath(site.schema, state), signal),
        ...statusValues(bundlesOf(site.schema, state)).map(async (status) => {
          const { count } = await readList(statusCountPath(site.schema, state, status), signal);
          return [status, count] as const;
        }),
      ]);
      this.statusCounts = counts.length > 0 ? new Map(counts) : undefined;
      for (const resource of result.included) titles.add(resource);
      this.result = result;
      this.failure = undefined;
      void this.#readExcerpts(result.items, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.failure = error instanceof RequestError ? error.message : String(error);
    }
    this.isLoading = false;
  }

  /** Excerpts only add to the list: without them it is complete. */
  async #readExcerpts(items: readonly Resource[], signal: AbortSignal): Promise<void> {
    const { search, language } = this.state;
    const found = await readExcerpts(search, items, language, signal).catch(() => undefined);
    if (!signal.aborted) this.excerpts = found ?? new Map();
  }

  /** Shows another list. Typing replaces the address instead of adding to the browser's history. */
  show(state: ListState, options?: { readonly replace?: boolean }): void {
    const search = writeState(state);
    router.go(href('content') + (search === '' ? '' : `?${search}`), options);
  }

  change(changes: Partial<ListState>, options?: { readonly replace?: boolean }): void {
    this.show({ ...this.state, page: 1, ...changes }, options);
  }

  isSelected(resource: Resource): boolean {
    return this.isAllSelected || this.selected.has(keyOf(resource));
  }

  /** Selects entries or clears their selection. */
  select(resources: readonly Resource[], isSelected: boolean): void {
    const selected = new Map(
      this.isAllSelected ? this.result?.items.map((item) => [keyOf(item), item]) : this.selected,
    );
    for (const resource of resources) {
      if (isSelected) selected.set(keyOf(resource), resource);
      else selected.delete(keyOf(resource));
    }
    this.isAllSelected = false;
    this.selected = selected;
  }

  clearSelection(): void {
    this.selected = new Map();
    this.isAllSelected = false;
  }
}
