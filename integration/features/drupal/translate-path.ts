import { aliasOf } from '../../core/content/decode/alias.ts';
import { languageOf } from '../../core/content/model.ts';
import { findPage } from '../../core/read/find-path.ts';
import { apiRoot, createServerLinks } from '../../core/read/links.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { DomainError, NotAcceptableError } from '../../core/util/errors.ts';

/**
 * Finds the entity at the parameter `path` of a query string: the response of Drupal's module decoupled_router. URLs are
 * absolute. If no entity is there that the actor may see, throws
 * `not-found` with Drupal's message as its title and Drupal's details as its detail. Throws NotAcceptableError for a
 * `_format` other than `json`.
 */
export async function translatePath(request: Parameters<typeof findPage>[0], origin: string, query: string) {
  const parameters = new URLSearchParams(query);
  const format = parameters.getAll('_format').at(-1);
  if (format !== undefined && format !== 'json') {
    throw new NotAcceptableError('Only `_format=json` is available here.', { parameter: '_format' });
  }
  const path = parameters.getAll('path').at(-1) ?? '';
  if (path === '') throw unresolved('Unable to translate an empty path.', 'Send it in the parameter path.');
  const { findRedirect } = request.services;
  const direct = await findPage(request, path);
  const to = direct === undefined ? await findRedirect?.(request, path) : undefined;
  const found = direct ?? (to === undefined ? undefined : await findPage(request, to));
  const type = found?.services.store.types.get(found.entity.type);
  if (found === undefined || type === undefined) {
    throw unresolved(`Unable to resolve path /${path.replace(/^\/+/, '')}.`, NO_MATCH);
  }
  const { access, entity, services } = found;
  const { settings } = services;
  const links = createServerLinks(settings, origin, access);
  const address = settings.base + sitePath(type, entity);
  const { title } = entity.values;
  return {
    resolved: origin + address,
    isHomePath: aliasOf(entity) === '/',
    entity: {
      canonical: origin + address,
      type: type.entityType,
      bundle: type.bundle,
      id: entity.id,
      uuid: entity.id,
      langcode: languageOf(entity),
      path: address,
    },
    label: typeof title === 'string' ? title : '',
    jsonapi: {
      individual: links.individual(type, entity.id),
      resourceName: type.name,
      pathPrefix: apiRoot({ ...settings, base: '' }).slice(1),
      basePath: apiRoot(settings),
      entryPoint: links.entry(),
    },
    ...(to && { redirect: [{ from: `/${path.replace(/^\/+/, '')}`, to, status: '301' }] }),
  };
}

function unresolved(title: string, detail: string): DomainError {
  return new DomainError('not-found', detail, { title });
}

/** Clients compare this text. */
const NO_MATCH = 'None of the available methods were able to find a match for this path.';
