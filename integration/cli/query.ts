import { answer } from '../api/jsonapi/answer.ts';
import { actorOf } from '../builder/as-option.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { NotFoundError } from '../util/errors.ts';
import { type Command, CommandError, type CommandInput, SITE_FLAGS, UsageError } from './command.ts';
import { findSite } from './find-site.ts';
import { openContent, warnOfErrors } from './open-content.ts';
import { paintJson } from './paint-json.ts';
import { documentTable } from './table.ts';

/** Flags of commands that query the content. */
export const QUERY_FLAGS = {
  as: {
    value: 'who',
    choices: ['anonymous', 'everyone'],
    help: '`anonymous` (the default) sees what visitors see, `everyone` also drafts and hidden fields.',
  },
  ...SITE_FLAGS,
} as const satisfies Command['flags'];

export const query: Command = {
  name: 'query',
  summary: 'Asks the content a question and prints the JSON:API document, or a table.',
  argument: {
    name: '<path>',
    help: 'What stands after /jsonapi/ in a URL: a bundle, an entity, a query. Quote it.',
  },
  flags: {
    table: { help: 'Print a table: the fields named by fields[…], else the title and what else fits.' },
    json: { help: 'Print the document, as is done without --table.' },
    ...QUERY_FLAGS,
  },
  details: ['Only the answer goes to the standard output; what is said about it does not.'],
  examples: [
    [
      'npx astro-jsonapi query "node/article?filter[title][operator]=CONTAINS&filter[title][value]=sea"',
      'Articles about the sea',
    ],
    [
      'npx astro-jsonapi query "node/article?sort=-created&page[limit]=5" --table',
      'The latest five, as a table',
    ],
    ['npx astro-jsonapi query node/article/hello --as everyone', 'One article, draft or not'],
    ["npx astro-jsonapi query node/article | jq '.data[].id'", 'Let another program read the answer'],
  ],
  async run(input) {
    const { switches, terminal } = input;
    const { print, paint, columns } = terminal;
    const { path, actor } = readQuestion(input);
    if (switches.has('table') && switches.has('json')) throw new UsageError('Choose --table or --json.');
    const site = await findSite({ ...input, argument: undefined });
    const runtime = await openContent(site, terminal);
    warnOfErrors(runtime, site, terminal);
    const document = await answer(runtime.services, path, { actor }).catch((error: unknown) => {
      throw withEntityType(error, path, runtime);
    });
    if (switches.has('table')) print(documentTable(document, { paint, columns }));
    else print(paintJson(document, paint));
    return 0;
  },
};

/** The path, with a slash before it, and the actor. */
export function readQuestion({ argument = '', values }: CommandInput): {
  readonly path: string;
  readonly actor: ReturnType<typeof actorOf>;
} {
  const path = argument.startsWith('/') ? argument : `/${argument}`;
  return { path, actor: actorOf({ as: values.as === 'everyone' ? 'everyone' : 'anonymous' }) };
}

/** The error, or what to do where a bundle was asked for without its entity type: `article` for `node/article`. */
export function withEntityType(error: unknown, path: string, { services }: Runtime): unknown {
  const [name = ''] = path.slice(1).split(/[/?]/, 1);
  const type = [...services.store.types.values()].find(({ bundle }) => bundle === name);
  if (!(error instanceof NotFoundError) || type === undefined) return error;
  return new CommandError(`${error.detail} Did you mean ${type.entityType}${path}?`);
}
