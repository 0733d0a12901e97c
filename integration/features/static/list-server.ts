import { ANONYMOUS } from '../../core/access/actor.ts';
import { collectionDocument, parseList } from '../../core/api/jsonapi/document.ts';
import type { ResourceType } from '../../core/content/model.ts';
import { checkQueryLength } from '../../core/engine/limits.ts';
import { searchedTexts } from '../../core/engine/resolve/resolve-filter.ts';
import { isSmall, serializable, writeWhole } from '../../core/read/compose.ts';
import { JSONAPI_MEDIA_TYPE } from '../../core/read/document-types.ts';
import { apiRoot, createRequestPager, createServerLinks } from '../../core/read/links.ts';
import { cachingHeaders } from '../../core/server/caching-headers.ts';
import { respondWhole } from '../../core/server/respond-whole.ts';
import type { SnapshotServer } from './answer.ts';
import type { SnapshotServices } from './services.ts';

/**
 * Answers the requests that most pages send, with little code: lists of one bundle, on a site with one language. Returns
 * undefined for all other requests, and for large documents. Throws the DomainError of a bad request.
 */
export function createListServer(services: SnapshotServices): SnapshotServer {
  const { settings, store, documentSegments } = services;
  const root = `${apiRoot(settings)}/`;
  const { api, languages, serverTiming, imageStyles } = settings;
  // A feature adds the links of images.
  const isPlain = api !== false && (languages ?? imageStyles) === undefined && !serverTiming;
  const access = services.access(ANONYMOUS);

  return (request) => {
    const { origin, pathname, search } = new URL(request.url);
    const [entityType = '', bundle, ...below] = pathname.slice(root.length).replace(/\/$/, '').split('/');
    const type = store.types.get(`${entityType}--${bundle}`);
    const isList = pathname.startsWith(root) && below.length === 0 && type !== undefined;
    if (!isList || !isPlain || !READING.test(request.method)) return undefined;
    if (documentSegments.includes(entityType.toLowerCase())) return undefined;
    if (WITH_PARAMETERS.test(request.headers.get('accept') ?? '')) return undefined;
    checkQueryLength(pathname.length + search.length, settings.limits);
    return answer(request, type, origin, search.slice(1));
  };

  async function answer(
    request: Request,
    type: ResourceType,
    origin: string,
    search: string,
  ): Promise<Response | undefined> {
    const query = await parseList({ services, access }, type, search);
    // Cursors are ignored here.
    const isPage = query.page.limit < Number.POSITIVE_INFINITY;
    if (!isPage || query.ignored.length + searchedTexts(query.filter, 'highlight').length > 0)
      return undefined;
    const links = createServerLinks(settings, origin, access);
    const pager = createRequestPager(links.collection(type), search);
    const document = serializable(
      await collectionDocument({ services, access, links }, [type], query, pager),
    );
    if (!isSmall(document)) return undefined;
    const written = await writeWhole(document);
    const headers = cachingHeaders(services, ANONYMOUS, written);
    return respondWhole(request, { status: 200, contentType: JSONAPI_MEDIA_TYPE, written, headers });
  }
}

/** Methods that lists take, but OPTIONS. */
const READING = /^(?:GET|HEAD)$/;
/** An Accept header that may ask for JSON:API with parameters. */
const WITH_PARAMETERS = /api\+json\s*;/i;
