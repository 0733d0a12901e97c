import type { Actor } from '../../core/access/actor.ts';
import { aliasOf } from '../../core/content/decode/alias.ts';
import { languageOf } from '../../core/content/model.ts';
import { prefixedSettings, splitLanguage } from '../../core/read/language-paths.ts';
import { apiRoot, createServerLinks } from '../../core/read/links.ts';
import type { DocumentContext } from '../../core/read/reader.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { visibleEntity } from '../../core/read/sparse-fields.ts';
import { DomainError, NotAcceptableError } from '../../core/util/errors.ts';
import { findByPath } from './find-path.ts';

/**
 * Finds the entity at the parameter `path` of a query string: the response of Drupal's module decoupled_router. URLs are
 * absolute. If no entity is there that the actor may see, throws
 * `not-found` with Drupal's message as its title and Drupal's details as its detail. Throws NotAcceptableError for a
 * `_format` other than `json`.
 */
export async function translatePath(request: RouterContext, origin: string, query: string) {
  const parameters = new URLSearchParams(query);
  const format = parameters.getAll('_format').at(-1);
  if (format !== undefined && format !== 'json') {
    throw new NotAcceptableError('Only `_format=json` is available here.', { parameter: '_format' });
  }
  const path = parameters.getAll('path').at(-1) ?? '';
  if (path === '') throw unresolved('Unable to translate an empty path.', 'Send it in the parameter path.');
  const { services, access, path: plain } = inLanguageOf(path, request);
  const target = await findByPath(services, access, plain);
  const entity = target && visibleEntity(target, services.store, access);
  const type = entity && services.store.types.get(entity.type);
  if (entity === undefined || type === undefined) {
    throw unresolved(`Unable to resolve path /${path.replace(/^\/+/, '')}.`, NO_MATCH);
  }
  const links = createServerLinks(services.settings, origin, access);
  const { settings } = services;
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
  };
}

type RouterContext = Pick<DocumentContext, 'services' | 'access'> & { readonly actor: Actor };

/** A path that starts with that of a language leads to the content in that language, and its links keep the prefix. */
function inLanguageOf(path: string, { services, access, actor }: RouterContext) {
  const { langcode, path: plain } = splitLanguage(services.settings, path);
  if (langcode === undefined) return { services, access, path };
  const settings = prefixedSettings(services.settings, langcode);
  return {
    services: { ...services, settings },
    access: services.access(actor, { langcode, fallback: true }),
    path: plain,
  };
}

function unresolved(title: string, detail: string): DomainError {
  return new DomainError('not-found', detail, { title });
}

/** Clients compare this text. */
const NO_MATCH = 'None of the available methods were able to find a match for this path.';
