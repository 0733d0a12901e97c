import { z } from 'zod';
import { addressOf } from '../../core/api/request.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import { type AccountsRequest, administration } from './accounts-api.ts';

/** Entries of a page. */
const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

const TIME = z.iso
  .datetime({ offset: true })
  .transform((time) => new Date(time).toISOString())
  .describe('a date-time with its offset, such as 2026-01-31T00:00:00Z');

/** The parameters of the query, as they are written. */
const PARAMETERS = {
  'filter[account]': z.string().min(1).describe('the name of an account'),
  'filter[event]': z
    .string()
    .min(1)
    .transform((events) => events.split(','))
    .describe('names of events, separated by commas'),
  'filter[failed]': z
    .enum(['true', 'false'])
    .transform((failed) => failed === 'true')
    .describe('true or false'),
  'filter[from]': TIME,
  'filter[until]': TIME,
  'page[before]': z
    .string()
    .regex(/^\d{1,16}$/)
    .describe('the value of the link `next`'),
  'page[limit]': z.coerce.number().int().min(1).max(MAX_PAGE).describe(`a number from 1 to ${MAX_PAGE}`),
};

/** `GET /jsonapi/_audit`: what happened to accounts, the newest first. Only for those who administer accounts. */
export async function listAudit(request: AccountsRequest): Promise<SerializedBody> {
  // The query has parameters of its own.
  const accounts = administration({ ...request, target: { ...request.target, query: '' } });
  const { query } = request.target;
  const sent = new URLSearchParams(query);
  const search = readParameters(sent);
  const { entries, next } = await accounts.audit.find({
    account: search['filter[account]'],
    events: search['filter[event]'],
    failed: search['filter[failed]'],
    from: search['filter[from]'],
    until: search['filter[until]'],
    before: search['page[before]'],
    limit: search['page[limit]'] ?? DEFAULT_PAGE,
  });
  const address = addressOf(request, '_audit');
  const following = new URLSearchParams(sent);
  if (next !== undefined) following.set('page[before]', next);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: entries.map(({ place, ...attributes }) => ({ type: 'audit-entry', id: place, attributes })),
    meta: { count: entries.length, extent: accounts.audit.extent },
    links: {
      self: { href: query === '' ? address : `${address}?${sent}` },
      ...(next !== undefined && { next: { href: `${address}?${following}` } }),
    },
  });
}

type Search = { readonly [Name in keyof typeof PARAMETERS]?: z.output<(typeof PARAMETERS)[Name]> };

function readParameters(sent: URLSearchParams): Search {
  const values = [...sent].map(([name, value]) => {
    const parameter = (PARAMETERS as Readonly<Record<string, z.ZodType>>)[name];
    if (parameter === undefined) {
      throw new BadParameterError(name, `Unknown parameter. Valid: ${Object.keys(PARAMETERS).join(', ')}.`);
    }
    const result = parameter.safeParse(value);
    if (!result.success) throw new BadParameterError(name, `Valid: ${parameter.description}.`);
    return [name, result.data];
  });
  return Object.fromEntries(values);
}
