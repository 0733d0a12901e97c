import { type DescribeRoutes, pathParameter, ref } from '../../core/api/description.ts';
import { array, COUNT, object, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about the routes of the core, and about the same with plain JSON. */
export const describeContent: DescribeRoutes = () => ({
  entry: {
    tag: ENTRY,
    operations: {
      GET: {
        texts: ['entry', 'List all collections'],
        parameters: ['language'],
        schema: 'entry-document',
      },
    },
    files: (_, links) => [{ path: links.entry(), name: '' }],
  },
  'rest-entry': {
    tag: ENTRY,
    operations: {
      GET: {
        texts: ['list-bundles', 'List all bundles'],
        parameters: ['language'],
        schema: 'plain-bundles-document',
      },
    },
    files: (_, _links, path) => [{ path: `${path}.json`, name: '' }],
  },
  'jsonapi-job': {
    tag: JOBS,
    operations: {
      GET: {
        texts: ['get-job', 'Get the state of a change'],
        parameters: [JOB_ID],
        schema: JOB_DOCUMENT,
      },
    },
  },
  'rest-job': {
    tag: JOBS,
    operations: {
      GET: {
        texts: ['get-plain-job', 'Get the state of a change'],
        parameters: [JOB_ID],
        schema: PLAIN_JOB_DOCUMENT,
      },
    },
  },
  health: {
    tag: { name: 'health', description: 'The state of the server.' },
    operations: {
      GET: {
        texts: [
          'health',
          'Check the server: 200 if the content is loaded and up to date, and commits keep up, else 503',
        ],
        schema: HEALTH,
      },
    },
  },
});

const ENTRY = { name: 'entry point', description: 'What the API has.' };
const JOBS = { name: 'jobs', description: 'Changes that are not committed yet.' };
const JOB_ID = pathParameter('id', '`meta.job.id` of the response to the change.', TEXT);
const JOB_STATE = {
  status: { enum: ['pending', 'committed', 'failed'] },
  detail: { ...TEXT_OR_NULL, description: 'Why the change is not committed, or a note about it.' },
  created: { ...TEXT, format: 'date-time' },
  commit: { ...TEXT_OR_NULL, description: 'The full id of the commit.' },
  branch: TEXT_OR_NULL,
  pushed: { type: ['boolean', 'null'], description: 'Null if the server does not push.' },
  conflicts: { ...array(TEXT), description: 'Ids of the conflicts with changes of others.' },
} as const;
const JOB_DOCUMENT = object({
  jsonapi: ref('jsonapi'),
  data: object({ type: { const: 'job' }, id: TEXT, attributes: object(JOB_STATE), links: ref('links') }),
  links: ref('links'),
});
const PLAIN_JOB_DOCUMENT = object({
  data: object({ id: TEXT, type: { const: 'job' }, ...JOB_STATE }),
  links: object({ self: TEXT, entity: TEXT }, ['self']),
});
const HEALTH = object(
  {
    status: { enum: ['ok', 'error'] },
    uptime: { ...COUNT, description: 'Seconds since the process started.' },
    git: {
      description: 'Present if changes are committed to git.',
      ...object(
        {
          commits: {
            description: '`waiting` after a minute or an error, `behind` after five minutes (status 503).',
            enum: ['ok', 'waiting', 'behind'],
          },
          backlog: {
            description: 'Changes without a commit, and the age of the oldest one.',
            ...object({ changes: COUNT, oldestSeconds: COUNT }),
          },
          waitsFor: {
            description: 'The cause of failed commits: the repository, a lock, or another error of git.',
            enum: ['repository', 'lock', 'git'],
          },
          pushes: { enum: ['ok', 'waiting'] },
        },
        ['commits', 'backlog'],
      ),
    },
    database: {
      description: 'Present with option `engine`.',
      ...object(
        {
          content: {
            description: '`stale` if the age is above option `engine.maxAge` (status 503).',
            enum: ['ok', 'stale'],
          },
          ageSeconds: {
            ...COUNT,
            description: 'Seconds since the content was last known to be that of the database.',
          },
        },
        ['content', 'ageSeconds'],
      ),
    },
  },
  ['status', 'uptime'],
);
