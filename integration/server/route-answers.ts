import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { checkJsonAccept, checkJsonApiAccept } from '../api/accept.ts';
import { translatePath } from '../api/drupal/translate-path.ts';
import { explain, explorerSchema } from '../api/explorer.ts';
import { readDocument, readOptions } from '../api/jsonapi/answer.ts';
import { resourceSchemaDocument } from '../api/jsonapi/resource-schema.ts';
import { serverDescription } from '../api/openapi/describe-server.ts';
import { readRest, restOptions } from '../api/rest/document.ts';
import { createBundleNames } from '../api/rest/names.ts';
import { createRestServerLinks } from '../api/rest/rest-links.ts';
import type { Services } from '../api/services.ts';
import type { ResourceType } from '../content/model.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import type { Streamed, Written } from '../read/compose.ts';
import { composed, openDocument, writeJson, writeWhole } from '../read/compose.ts';
import { findContentFile } from '../read/content-files.ts';
import { findType } from '../read/find.ts';
import { createServerLinks } from '../read/links.ts';
import type { Production } from '../read/production.ts';
import { pathSegments } from '../read/url-path.ts';
import { contentFileBody } from './content-file.ts';
import { findJob, jobDocument } from './jobs.ts';
import { answerSubrequests } from './subrequests.ts';

/** One request, taken apart. */
export interface RouteRequest {
  readonly services: Services;
  readonly actor: Actor;
  readonly access: Access;
  readonly origin: string;
  /** The row's prefix, such as `/v1/api/content`. */
  readonly prefix: string;
  /** What follows the prefix, still encoded. */
  readonly rest: string;
  /** Without `?`. */
  readonly query: string;
  /** The header `Accept`. */
  readonly accept: string | null;
  /** The request's body as text. Throws a 413 where it is larger than this limit allows. */
  body(limit: 'subrequestsBytes' | 'bodyBytes'): Promise<string>;
  /** The slices in which a large answer is made. */
  readonly work: Production;
  /** Answers another request for the same actor; undefined for a path that is not ours. */
  ask(request: Request): Promise<Response | undefined>;
}

export interface OptionsAnswer {
  readonly meta: { readonly allow: readonly string[] };
}

/** The methods of every address that reads. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export async function answerJsonApi({
  services,
  actor,
  access,
  origin,
  rest,
  query,
  accept,
  work,
}: RouteRequest): Promise<Written | Streamed> {
  checkJsonApiAccept(accept);
  const { settings } = services;
  const context = { services, actor, access, links: createServerLinks(settings, origin), work };
  const document = composed(await readDocument(context, pathSegments(rest), query));
  return openDocument(document, { limits: settings.limits, work, parameter: 'page[limit]' });
}

export async function optionsJsonApi({
  services,
  access,
  rest,
  accept,
}: RouteRequest): Promise<OptionsAnswer> {
  checkJsonApiAccept(accept);
  return readOptions({ services, access }, pathSegments(rest), METHODS);
}

export async function answerSchema({
  services,
  access,
  origin,
  rest,
  query,
}: RouteRequest): Promise<Written> {
  parseQuery(query, 'individual', services.settings);
  const links = createServerLinks(services.settings, origin);
  return writeJson(resourceSchemaDocument({ services, access, links }, describedType(services, rest)));
}

export async function optionsSchema({ services, rest }: RouteRequest): Promise<OptionsAnswer> {
  describedType(services, rest);
  return PLAIN_OPTIONS;
}

function describedType({ store }: Services, rest: string): ResourceType {
  const [entityType = '', bundle = ''] = pathSegments(rest);
  return findType(store, entityType, bundle);
}

export async function answerOpenApi({ services, access, origin, query }: RouteRequest): Promise<Written> {
  parseQuery(query, 'individual', services.settings);
  return writeJson(serverDescription(services, access, origin));
}

export async function answerRest({
  services,
  actor,
  access,
  origin,
  prefix,
  rest,
  query,
  accept,
  work,
}: RouteRequest): Promise<Written | Streamed> {
  checkJsonAccept(accept);
  const { settings, store } = services;
  const names = createBundleNames(store.types.values(), settings.plurals);
  const links = createRestServerLinks(settings, names, { origin, prefix, query });
  const [name = '', ...below] = pathSegments(rest);
  return readRest({ services, actor, access, links, work }, names.find(name), below, query);
}

export async function optionsRest({ services, access, rest, accept }: RouteRequest): Promise<OptionsAnswer> {
  checkJsonAccept(accept);
  const names = createBundleNames(services.store.types.values(), services.settings.plurals);
  const [name = '', ...below] = pathSegments(rest);
  return restOptions({ services, access }, names.find(name), below, METHODS);
}

export async function answerRouter({ services, access, origin, query }: RouteRequest): Promise<Written> {
  const links = createServerLinks(services.settings, origin);
  return writeJson(await translatePath({ services, access, links }, origin, query));
}

export async function answerMany({ services, origin, body, ask, work }: RouteRequest): Promise<Written> {
  const { limits } = services.settings;
  const text = await body('subrequestsBytes');
  await work.takePlace();
  return writeWhole(await answerSubrequests(text, { origin, limits, ask, work }));
}

export async function answerFile({
  services,
  access,
  rest,
  work,
}: RouteRequest): Promise<Written | Streamed> {
  return contentFileBody(await findContentFile(services, access, rest), work);
}

export async function optionsFile({ services, access, rest }: RouteRequest): Promise<OptionsAnswer> {
  await findContentFile(services, access, rest);
  return PLAIN_OPTIONS;
}

export async function answerExplorerSchema({ services, access }: RouteRequest): Promise<Written> {
  return writeJson(await explorerSchema(services, access, 'server'));
}

export async function answerExplain({ services, access, query }: RouteRequest): Promise<Written> {
  return writeJson(await explain(services, access, query));
}

export async function answerJsonApiJob(request: RouteRequest): Promise<Written> {
  checkJsonApiAccept(request.accept);
  return jobDocument(request, jobIn(request), request.query, 'jsonapi');
}

export async function answerRestJob(request: RouteRequest): Promise<Written> {
  checkJsonAccept(request.accept);
  return jobDocument(request, jobIn(request), request.query, 'rest');
}

export async function optionsJob(request: RouteRequest): Promise<OptionsAnswer> {
  findJob(request, jobIn(request));
  return PLAIN_OPTIONS;
}

/** The segment after `_jobs`. */
function jobIn({ rest }: RouteRequest): string {
  return pathSegments(rest)[1] ?? '';
}

export const PLAIN_OPTIONS = { meta: { allow: METHODS } };
