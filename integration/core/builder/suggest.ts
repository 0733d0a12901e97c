/** What a search box shows for words. `read` returns the document at a path below `/jsonapi`. */
export async function readSuggestions<Document extends { readonly data: unknown; readonly meta?: object }>(
  read: (path: string) => Promise<Document>,
  words: string,
  { types, limit, lang }: SuggestOptions,
) {
  const query = new URLSearchParams({
    searchWords: words,
    ...(types && { resourceTypes: types.join(',') }),
    ...(limit !== undefined && { maxEntries: String(limit) }),
    ...(lang !== undefined && { langCode: lang }),
  });
  const { data, meta } = await read(`/_suggest?${query}`);
  const entries = (data as readonly { readonly meta: object }[]).map(({ meta, ...entry }) => ({
    ...entry,
    ...meta,
  }));
  return { entries, ...meta };
}

export interface SuggestOptions {
  /** Resource types such as `node--article`. Default: all. */
  readonly types?: readonly string[];
  /** The maximum number of entries, up to 20. Default: 8. */
  readonly limit?: number;
  /** The language of the entries. */
  readonly lang?: string;
}
