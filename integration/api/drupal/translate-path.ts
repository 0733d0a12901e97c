import { aliasOf } from '../../content/decode/alias.ts';
import type { FieldValue } from '../../content/model.ts';
import type { DocumentContext } from '../../read/reader.ts';
import { visibleEntity } from '../../read/sparse-fields.ts';
import { DomainError, NotAcceptableError } from '../../util/errors.ts';
import { findByPath, sitePath } from './find-path.ts';

/**
 * Finds the entity at the parameter `path` of a query string: the response of Drupal's module decoupled_router. URLs are
 * absolute. If no entity is there that the actor may see, throws
 * `not-found` with Drupal's message as its title and Drupal's details as its detail. Throws NotAcceptableError for a
 * `_format` other than `json`.
 */
export async function translatePath(context: DocumentContext, origin: string, query: string) {
  const { services, access, links } = context;
  const parameters = new URLSearchParams(query);
  const format = parameters.getAll('_format').at(-1);
  if (format !== undefined && format !== 'json') {
    throw new NotAcceptableError('Only `_format=json` is available here.', { parameter: '_format' });
  }
  const path = parameters.getAll('path').at(-1) ?? '';
  if (path === '') throw unresolved('Unable to translate an empty path.', 'Send it in the parameter path.');
  const target = await findByPath(services, access, path);
  const entity = target && visibleEntity(target, services.store, access);
  const type = entity && services.store.types.get(entity.type);
  if (entity === undefined || type === undefined) {
    throw unresolved(`Unable to resolve path /${path.replace(/^\/+/, '')}.`, NO_MATCH);
  }
  const { base } = services.settings;
  const address = base + sitePath(type, entity);
  const { title, langcode } = entity.values;
  return {
    resolved: origin + address,
    isHomePath: aliasOf(entity) === '/',
    entity: {
      canonical: origin + address,
      type: type.entityType,
      bundle: type.bundle,
      id: entity.id,
      uuid: entity.id,
      langcode: textOf(langcode),
      path: address,
    },
    label: textOf(title),
    jsonapi: {
      individual: links.individual(type, entity.id),
      resourceName: type.name,
      pathPrefix: 'jsonapi',
      basePath: `${base}/jsonapi`,
      entryPoint: links.entry(),
    },
  };
}

function textOf(value: FieldValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function unresolved(title: string, detail: string): DomainError {
  return new DomainError('not-found', detail, { title });
}

/** Clients compare this text. */
const NO_MATCH = 'None of the available methods were able to find a match for this path.';
