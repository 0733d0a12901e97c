import { z } from 'zod';
import { DomainError } from '../util/errors.ts';
import { isRecord } from '../util/json.ts';
import { ACTIONS, ADMINISTRATOR_ROLE, type Permission, SPECIAL_PERMISSIONS, WHERE_WORDS } from './role.ts';
import { parseRoleFilter } from './rule.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
const WHERE =
  "'own', 'published', 'unpublished', a filter such as { field_rating: { operator: '>', value: 3 } }, or a list of them, all of which must hold";

const names = z.array(z.string().min(1));
const fieldNames = z
  .union([names, z.strictObject({ except: names })])
  .describe("a list of field names, or { except: ['uid'] } for all but those");

const permissionSchema = z
  .strictObject({
    actions: z
      .array(z.enum(ACTIONS))
      .min(1)
      .describe(`a list of ${ACTIONS.join(', ')}`),
    bundles: z
      .union([z.literal('*'), z.array(z.string().regex(NAME)).min(1)])
      .describe("'*' for all, or a list of bundles, such as ['article', 'taxonomy_term--tags']"),
    where: z
      .custom<Permission['where']>()
      .superRefine((where, context) => checkWhere(where, context))
      .optional()
      .describe(WHERE),
    fields: z
      .strictObject({ view: fieldNames.optional(), change: fieldNames.optional() })
      .optional()
      .describe("{ view, change }, each a list of field names or { except: ['uid'] }"),
  })
  .describe('{ actions, bundles, where, fields }');

const roleSchema = z
  .strictObject({
    permissions: z
      .array(permissionSchema)
      .optional()
      .describe("a list such as [{ actions: ['view'], bundles: '*', where: 'published' }]"),
    also: z
      .array(z.enum(SPECIAL_PERMISSIONS))
      .optional()
      .describe(`a list of ${SPECIAL_PERMISSIONS.map((name) => `'${name}'`).join(', ')}`),
  })
  .describe('{ permissions, also }');

/** Option `roles`. The message of a custom issue is in `params.detail`. */
export const rolesSchema = z.record(z.string().regex(NAME), roleSchema).superRefine((roles, { addIssue }) => {
  if (roles[ADMINISTRATOR_ROLE]?.permissions === undefined) return;
  const detail = 'administrators may do everything; only `also` can be given to them.';
  addIssue({ code: 'custom', path: [ADMINISTRATOR_ROLE, 'permissions'], params: { detail } });
});

function checkWhere(where: unknown, context: z.core.$RefinementCtx): void {
  const list: readonly unknown[] = Array.isArray(where) ? where : [where];
  if (list.length === 0) {
    context.addIssue({ code: 'custom', params: { detail: 'it is empty; leave it out.' } });
  }
  for (const [index, item] of list.entries()) {
    const path = Array.isArray(where) ? [index] : [];
    const detail = problemOf(item);
    if (detail !== undefined) context.addIssue({ code: 'custom', path, params: { detail } });
  }
}

function problemOf(item: unknown): string | undefined {
  if (WHERE_WORDS.some((word) => word === item)) return undefined;
  if (!isRecord(item)) return `it cannot be ${JSON.stringify(item) ?? typeof item}. Valid: ${WHERE}.`;
  try {
    parseRoleFilter(item);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.detail;
    throw error;
  }
}
