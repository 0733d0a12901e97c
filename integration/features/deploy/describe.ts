import {
  ANY_CHANGE,
  type DescribeRoutes,
  documentOf,
  pathParameter,
  READING_ERRORS,
  ref,
} from '../../core/api/description.ts';
import { array, COUNT, object, orNull, TEXT, TEXT_OR_NULL } from '../../core/api/json-schema.ts';

/** What OpenAPI says about the published site. */
export const describeDeploy: DescribeRoutes = () => ({
  deploy: {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-deploy', 'Get what the published site has of the content'],
        schema: documentOf(SITE),
        errors: READING_ERRORS,
      },
      POST: {
        texts: ['start-build', 'Start a build of the site'],
        schema: documentOf(SITE),
        refusals: ANY_CHANGE,
      },
    },
  },
  'deployed-entry': {
    tag: TAG,
    operations: {
      GET: {
        texts: ['get-deployed-entry', 'Get what the published site has of an entry'],
        parameters: [
          pathParameter('entityType', 'Such as `node`.', TEXT),
          pathParameter('bundle', 'Such as `article`.', TEXT),
          pathParameter('id', 'The id of the entry.', TEXT),
          'language',
        ],
        schema: documentOf(ENTRY),
        errors: READING_ERRORS,
      },
    },
  },
});

const TAG = { name: 'deploy', description: 'The published site and its builds.' };
const TIME = { type: 'string', format: 'date-time' };
const BOOLEAN = { type: 'boolean' };
const COMMIT = orNull(object({ commit: TEXT, time: orNull(TIME) }));
const LIVE = orNull(object({ commit: TEXT, time: TIME }));
const PROBLEM = {
  enum: ['none', 'unreachable', null],
  description:
    '`none`: the published site has no `build.json`. `unreachable`: it does not answer. Null if it does, or if its address is not known.',
};
const SITE = object({
  type: { const: 'deploy' },
  id: TEXT,
  attributes: object({
    url: { ...TEXT_OR_NULL, description: 'The published site.' },
    live: { ...LIVE, description: 'The commit of the build that visitors see, and when the build began.' },
    problem: PROBLEM,
    committed: {
      ...COMMIT,
      description: 'The newest commit of the content. Null if you may not see everything.',
    },
    waiting: { ...orNull(COUNT), description: 'Files that are saved and not committed.' },
    changes: {
      ...orNull(COUNT),
      description: 'Saved files that differ from those of the build. A moved file counts once.',
    },
    build: orNull(
      object({
        state: { enum: ['waiting', 'running', 'built', 'live', 'failed', 'late'] },
        by: { enum: ['hook', 'command'] },
        started: TIME,
        ended: orNull(TIME),
        again: { ...BOOLEAN, description: 'True if another build follows.' },
        commit: TEXT_OR_NULL,
        problem: TEXT_OR_NULL,
        lines: { ...array(TEXT), description: 'The last lines of the output of a command that failed.' },
      }),
    ),
  }),
  meta: object({ mayBuild: BOOLEAN }),
  links: ref('links'),
});
const ENTRY = object({
  type: { const: 'deployed-entry' },
  id: TEXT,
  attributes: object({
    committed: { ...COMMIT, description: 'The newest commit that changed the entry.' },
    isCommitted: {
      ...orNull(BOOLEAN),
      description: 'False if the entry has changes without a commit. Null without git.',
    },
    live: LIVE,
    problem: PROBLEM,
    isPublished: {
      ...BOOLEAN,
      description: 'False for a draft, and for an entry whose publication has not begun or has ended.',
    },
    isLive: {
      ...orNull(BOOLEAN),
      description:
        'True if the entry is published, and visitors see it as it is stored. Null if that is not known.',
    },
    isVisible: {
      ...orNull(BOOLEAN),
      description: 'True if visitors see the entry, maybe an earlier version. Null if that is not known.',
    },
    page: {
      ...orNull(object({ url: TEXT, exists: orNull(BOOLEAN) })),
      description: 'The page of the entry on the published site. Null without one.',
    },
  }),
  links: ref('links'),
});
