import type { Access, ActionFilter } from '../../core/access/access.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import type { ReadRequest } from '../../core/api/request.ts';
import type { ResourceType } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { createServerLinks } from '../../core/read/links.ts';
import { UnauthorizedError } from '../../core/util/errors.ts';

/** The number of entities that may be changed. OPTIONS of an entity lists its allowed methods. */
type Extent = 'all' | 'some' | 'none';

/** What an account may do with the entities of a resource type. */
interface BundleRights {
  readonly create: boolean;
  readonly update: Extent;
  readonly delete: Extent;
  /** Setting `status` of existing entities. */
  readonly publish: Extent;
}

/** `GET /jsonapi/_me`: the account of the request. Throws UnauthorizedError for anonymous. */
export function readMe(request: ReadRequest): SerializedBody {
  const { services, access, actor, signIn, target, headers } = request;
  checkJsonApiAccept(headers.get('accept'));
  parseQuery(target.query, 'individual', services.settings);
  if (actor.name === null) throw new UnauthorizedError('Sign in to see your account.');
  const canWrite = services.writer !== null;
  const types = [...services.store.types.values()];
  const links = createServerLinks(services.settings, target.origin, access);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: {
      type: 'account',
      id: actor.name,
      attributes: { roles: actor.roles, local: signIn?.by === 'local', csrf: signIn?.csrf ?? null },
      meta: {
        bundles: Object.fromEntries(
          types.map((type) => [type.name, canWrite ? rightsOn(type, access) : NO_RIGHTS]),
        ),
        writeMdx: canWrite && access.has('write mdx'),
        manageAccounts: services.settings.signIn === true && access.has('administer accounts'),
      },
    },
    links: { self: { href: links.me() } },
  });
}

const NO_RIGHTS: BundleRights = { create: false, update: 'none', delete: 'none', publish: 'none' };

function rightsOn(type: ResourceType, access: Access): BundleRights {
  return {
    create: access.filterFor('create', type) !== false,
    update: extentOf(access.filterFor('update', type)),
    delete: extentOf(access.filterFor('delete', type)),
    publish: extentOf(access.filterForField(type, 'status')),
  };
}

function extentOf(filter: ActionFilter): Extent {
  if (filter === false) return 'none';
  return filter === null ? 'all' : 'some';
}
