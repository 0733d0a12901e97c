import { type DescribeRoutes, ref, STORED } from '../../core/api/description.ts';
import { array, type JsonSchema, object, TEXT } from '../../core/api/json-schema.ts';
import type { ApiSettings } from '../../core/read/settings.ts';

/** What OpenAPI says about several changes in one request. */
export const describeOperations: DescribeRoutes = (settings) => ({
  operations: {
    tag: TAG,
    operations: {
      POST: {
        texts: ['operations', 'Make several changes, all or none'],
        body: object(
          {
            'atomic:operations': {
              ...array(operationSchema(settings)),
              minItems: 1,
              maxItems: settings.limits.operations,
            },
            meta: { ...object({ dryRun: { type: 'boolean' } }, []), description: DRY_RUN },
          },
          ['atomic:operations'],
        ),
        schema: object(
          {
            jsonapi: ref('jsonapi'),
            'atomic:results': array(OPERATION_RESULT),
            meta: object({ dryRun: { const: true }, diff: { ...TEXT, description: DIFF } }, []),
          },
          ['jsonapi'],
        ),
        actions: ['create', 'update', 'delete'],
        refusals: STORED,
      },
    },
  },
});

const TAG = { name: 'operations', description: 'Several changes in one request.' };
/** Source: JSON:API extension "Atomic Operations". */
function operationSchema({ languages }: ApiSettings): JsonSchema {
  const langCode = languages && {
    langCode: {
      enum: languages.all.map(({ code }) => code),
      description: 'The language of the translation to add, update or remove. For targets without `href`.',
    },
  };
  const href =
    languages === undefined
      ? HREF
      : `${HREF} \`langCode\` or the prefix of a language selects a translation.`;
  return object(
    {
      op: { enum: ['add', 'update', 'remove'] },
      ref: {
        ...object({ type: TEXT, id: TEXT, lid: TEXT, relationship: TEXT }, ['type']),
        description:
          'The target: a resource, or one of its relationships. `lid` is that of a resource in `data` of an earlier operation.',
      },
      href: { ...TEXT, description: href },
      data: {
        description:
          'A resource as in requests for one resource, or the targets of a relationship. `lid` in place of `id` is a resource that this request creates.',
      },
      meta: object(
        { ifMatch: { ...TEXT, description: '`meta.revision` of the resource as it was read.' }, ...langCode },
        [],
      ),
    },
    ['op'],
  );
}
const DRY_RUN = 'With `dryRun`, the operations are checked, and nothing is changed.';
const DIFF = 'For a dry run: the unified diff of the files whose entities you may see with all fields.';
const HREF = 'The address of the target, in place of `ref`.';
const OPERATION_RESULT = object(
  { data: { ...object({ type: TEXT, id: TEXT }), description: 'The resource that was created or changed.' } },
  [],
);
