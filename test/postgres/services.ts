import { publishedServices } from '../../integration/core/api/published.ts';
import type { Services } from '../../integration/core/api/request.ts';
import type { Entity } from '../../integration/core/content/model.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import type { SearchLanguages } from '../../integration/core/engine/text/languages.ts';
import { loadSiteTerms } from '../../integration/core/engine/text/languages.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { type Database, openDatabase } from '../../integration/features/postgres/database.ts';
import { openPostgres, type PostgresContent } from '../../integration/features/postgres/open.ts';
import { syncContent } from '../../integration/features/postgres/sync.ts';
import { nodeType, single } from '../oracle/schema.ts';
import { createHandler } from '../support/handler.ts';
import { ORIGIN } from '../support/request.ts';
import { createReadServices, type TestSite } from '../support/services.ts';

/** A server without an index in memory, over the content of other services. */
export interface PostgresSite {
  readonly services: Services;
  readonly content: PostgresContent;
  readonly handle: Handler;
  readonly messages: string[];
  /** The changes that it has noticed. */
  readonly changes: unknown[];
  close(): Promise<void>;
}

/** Stores the content of services. */
export async function store(
  db: Database,
  schema: string,
  { store: content }: Pick<Services, 'store'>,
  search: SearchLanguages | null,
  revision = '',
): Promise<void> {
  const terms = search && (await loadSiteTerms(search));
  await syncContent(db, content, { schema, revision, terms, termsKey: JSON.stringify(search) });
}

export async function openSite(
  url: string,
  schema: string,
  like: Services,
  search: SearchLanguages | null,
  site: TestSite & {
    readonly statementTimeout?: number;
    readonly maxAge?: number;
    readonly listenUrl?: string | undefined;
  } = {},
): Promise<PostgresSite> {
  const messages: string[] = [];
  const changes: unknown[] = [];
  const log = { info: (text: string) => messages.push(text), error: (text: string) => messages.push(text) };
  const { now = Date.now, statementTimeout, maxAge, listenUrl } = site;
  const { limits } = like.settings;
  const content = await openPostgres({
    ...{ url, listenUrl, schema, limits, search, now, log },
    ...(statementTimeout && { statementTimeout }),
    maxAge,
    onChange: (changed) => changes.push(changed),
  });
  const { engine, findReferrers } = content;
  const services: Services = {
    ...createReadServices(content.store, site),
    engine,
    findReferrers,
    settings: like.settings,
    gone: like.gone,
    past: like.past,
    renderBody: like.renderBody,
    files: like.files,
    fileSources: like.fileSources,
  };
  const handle = createHandler(services);
  return {
    services,
    content,
    handle: (request, context) => content.consistent(() => handle(request.clone(), context)),
    messages,
    changes,
    close: () => content.close(),
  };
}

/** Stores the content of services in PostgreSQL, and compares the answers of both to requests. */
export async function compareWithMemory(
  url: string,
  schema: string,
  services: Services,
  requests: Iterable<{ readonly target: string; readonly method?: string; readonly accept?: string }>,
  search: SearchLanguages | null,
  site: TestSite = {},
) {
  const db = openDatabase({ url, schema });
  await store(db, schema, publishedServices(services), search);
  await db.destroy();
  const opened = await openSite(url, schema, services, search, site);
  const handle = createHandler(services);
  const differences: unknown[] = [];
  let answered = 0;
  for (const { target, method = 'GET', accept } of requests) {
    const request = () => new Request(ORIGIN + target, { method, ...(accept && { headers: { accept } }) });
    const [memory, postgres] = [
      await contentOf(await handle(request())),
      await contentOf(await opened.handle(request())),
    ];
    answered++;
    if (JSON.stringify(memory) !== JSON.stringify(postgres))
      differences.push({ request: `${method} ${target}`, memory, postgres });
  }
  await opened.close();
  return { answered, differences };
}

export async function contentOf(response: Response | undefined) {
  if (response === undefined) return undefined;
  const { status, headers } = response;
  return { status, headers: [...headers], body: await response.text() };
}

export const ARTICLE = nodeType('article', [single('title', 'string', { base: true })]);

export function article(id: string, title: string): Entity {
  return {
    ...{ type: ARTICLE.name, id, key: `article/${id}.md`, revision: '' },
    ...{ values: { title }, published: true, body: null },
  };
}

/** A server that reads, with the article `a` in memory. */
export function servicesOf(title: string): Services {
  const content = createEntityStore({ locale: 'en' });
  content.load([ARTICLE], [article('a', title)]);
  return createReadServices(content);
}
