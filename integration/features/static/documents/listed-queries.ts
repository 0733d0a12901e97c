import { ANONYMOUS } from '../../../core/access/actor.ts';
import { collectionDocument, parseList } from '../../../core/api/jsonapi/document.ts';
import { resourceDocument } from '../../../core/api/jsonapi/resource.ts';
import { checkQueryLength } from '../../../core/engine/limits.ts';
import { parseQuery } from '../../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeDocument } from '../../../core/read/compose.ts';
import { findAddressed, findType } from '../../../core/read/find.ts';
import { translatedBase } from '../../../core/read/language-paths.ts';
import { apiRoot, createStaticLinks, createStaticPager, staticPage } from '../../../core/read/links.ts';
import type { DocumentContext } from '../../../core/read/reader.ts';
import { type RequestLanguage, requestLanguage } from '../../../core/read/request-language.ts';
import type { ApiSettings } from '../../../core/read/settings.ts';
import { splitPath } from '../../../core/read/url-path.ts';
import { DomainError, NotFoundError } from '../../../core/util/errors.ts';

/**
 * The queries of option `prebuild` with all their pages: `jsonapi/q/<name>.json`, `<name>.2.json`. Throws an Error that
 * names the option for a query that a server would reject, also because its bundle is not in the API.
 */
export async function* listedQueries(context: DocumentContext, queries: ListedQueries): ListedDocuments {
  for (const [name, query] of Object.entries(queries)) {
    try {
      yield* listedQuery(context, name, query);
    } catch (error) {
      throw new Error(describeProblem(name, query, error), { cause: error });
    }
  }
}

/** The queries that `listedQueries` would reject, each as a sentence that names the option. */
export async function listedQueryProblems(
  context: DocumentContext,
  queries: ListedQueries,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    try {
      await listedQuery(context, name, query).next();
    } catch (error) {
      problems.push(describeProblem(name, query, error));
    }
  }
  return problems;
}

type ListedQueries = ApiSettings['staticQueries'];

/** Throws errors that the query did not cause. */
function describeProblem(name: string, query: string, error: unknown): string {
  if (!(error instanceof DomainError)) throw error;
  const parameter = error.source?.parameter === undefined ? '' : ` (${error.source.parameter})`;
  return `Option prebuild.${name}: ${error.detail}${parameter} The query is '${query}'.`;
}

type ListedDocuments = AsyncGenerator<
  { readonly path: string; write(): Promise<SerializedBody> },
  void,
  undefined
>;

async function* listedQuery(context: DocumentContext, name: string, path: string): ListedDocuments {
  const { services } = context;
  const { settings, store } = services;
  checkQueryLength(path.length, settings.limits);
  const { segments, query: search } = splitPath(path, settings);
  const language = requestLanguage(settings.languages, search, undefined);
  const own = language === undefined ? context : inLanguage(context, language);
  const [entityType, bundle, ...below] = segments;
  if (entityType === undefined || bundle === undefined) {
    throw new NotFoundError('A query must start with a collection, such as /node/article.');
  }
  const type = findType(store, entityType, bundle);
  const stem = `jsonapi/q/${name}`;
  const href = `${apiRoot(settings)}/q/${name}`;
  if (below.length > 0) {
    const query = parseQuery(search, 'individual', settings);
    const addressed = await findAddressed(services, own.access, type, below);
    const document = await resourceDocument(own, type, addressed, query, staticPage(href, 1));
    yield { path: staticPage(stem, 1), write: () => writeDocument(document) };
    return;
  }
  const query = await parseList(own, type, search);
  let page = query.page;
  for (let number = 1, count = 0; number === 1 || page.offset < count; number += 1) {
    const pager = createStaticPager(href, query.page, page);
    const document = await collectionDocument(own, [type], { ...query, page }, pager);
    count = document.meta?.count ?? 0;
    yield { path: staticPage(stem, number), write: () => writeDocument(document) };
    page = { offset: page.offset + page.limit, limit: page.limit };
  }
}

/** The context of a query with `langCode`, whose resources link to the files of that language. */
function inLanguage(context: DocumentContext, language: RequestLanguage): DocumentContext {
  const { services } = context;
  const { settings } = services;
  const { base: own, siteBase = own } = settings;
  const base = translatedBase(settings, language.langcode);
  const links = createStaticLinks({ ...settings, base, siteBase });
  return { ...context, links, access: services.access(ANONYMOUS, language) };
}
