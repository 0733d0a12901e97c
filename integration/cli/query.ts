import { explain as explainQuery } from '../core/api/explain.ts';
import { answer } from '../core/api/jsonapi/answer.ts';
import { actorOf } from '../core/builder/as-option.ts';
import type { SiteFlags } from '../core/runtime/command.ts';
import {
  CommandError,
  defineCommand,
  type Flags,
  SITE_FLAGS,
  type Terminal,
} from '../core/runtime/command.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import { NotFoundError } from '../core/util/errors.ts';
import { counted } from '../core/util/text.ts';
import { openContent, warnOfErrors } from './content.ts';
import { findSite } from './site.ts';
import { documentTable, paintJson } from './table.ts';

const QUERY_FLAGS = {
  as: {
    value: 'who',
    choices: ['anonymous', 'everyone'],
    help: 'Specify the view: `anonymous` (default), or `everyone` to include drafts and hidden fields.',
  },
  ...SITE_FLAGS,
} as const satisfies Flags;

export const query = defineCommand({
  name: 'query',
  summary: 'Run a query and print the JSON:API document, or a table.',
  argument: { name: '<path>', help: 'A URL, or its part after /jsonapi/. Quote it.' },
  flags: {
    table: {
      excludes: ['json'],
      help: 'Print a table of the fields in fields[…], or of the title and other fields that fit.',
    },
    json: { help: 'Print the document. This is the default.' },
    ...QUERY_FLAGS,
  },
  details: ['Results go to the standard output, messages to the standard error.'],
  examples: [
    [
      'npx astro-jsonapi query "node/article?filter[title][operator]=CONTAINS&filter[title][value]=sea"',
      'Find articles about the sea',
    ],
    [
      'npx astro-jsonapi query "node/article?sort=-created&page[limit]=5" --table',
      'Print the latest five as a table',
    ],
    ['npx astro-jsonapi query node/article/hello --as everyone', 'Print an article that may be a draft'],
    ["npx astro-jsonapi query node/article | jq '.data[].id'", 'Use the result in another program'],
  ],
  async run({ argument, flags, terminal }) {
    const { print, paint, columns } = terminal;
    const { path, actor, runtime } = await openQuery(argument, flags, terminal);
    const document = await answer(runtime.services, path, { actor }).catch((error: unknown) => {
      throw withEntityType(error, path, runtime);
    });
    print(flags.table ? documentTable(document, { paint, columns }) : paintJson(document, paint));
    return 0;
  },
});

export const explain = defineCommand({
  name: 'explain',
  summary: 'Print the plan of a query, with counts and times.',
  argument: { name: '<path>', help: 'The query of a collection, as for `query`.' },
  flags: { json: { help: 'Print all details as JSON, including the parsed query.' }, ...QUERY_FLAGS },
  details: [
    'The first run builds the index columns that the query needs.',
    'With --as everyone, the plan includes estimates and how the page is found.',
  ],
  examples: [
    [
      'npx astro-jsonapi explain "node/article?filter[field_tags.title]=tides&sort=-created"',
      'Print the plan of a query across a reference',
    ],
    ['npx astro-jsonapi explain "node/article?filter[status]=1" --as everyone', 'Include estimates'],
  ],
  async run({ argument, flags, terminal }) {
    const { print, paint } = terminal;
    const { path, actor, runtime, folder, readMs } = await openQuery(argument, flags, terminal);
    const { services } = runtime;
    const runQuery = () => explainQuery(services, actor, `url=${encodeURIComponent(path)}`);
    const first = await runQuery().catch((error: unknown) => {
      throw withEntityType(error, path, runtime);
    });
    const second = await runQuery();
    if (flags.json) {
      const { totalMs: firstMs, ...rest } = first;
      print(paintJson({ ...rest, readMs, firstMs, againMs: second.totalMs }, paint));
      return 0;
    }
    const count = paint('strong', `${counted(first.count, 'entity', 'entities')} found`);
    const times = `${formatMs(first.totalMs)}, once indexed in ${formatMs(second.totalMs)}`;
    print(`${first.plan}\n\n${count} in ${times} (reading ${folder}: ${formatMs(readMs)})`);
    return 0;
  },
});

/** Start of a URL that was copied from a browser. */
const API_ADDRESS = /^https?:\/\/[^?#]*?\/jsonapi(?=[/?]|$)/;

async function openQuery(
  argument: string,
  flags: SiteFlags & { readonly as?: 'anonymous' | 'everyone' | undefined },
  terminal: Terminal,
) {
  const inApi = argument.replace(API_ADDRESS, '');
  const path = inApi.startsWith('/') ? inApi : `/${inApi}`;
  const site = await findSite(flags, terminal);
  const start = performance.now();
  const runtime = await openContent(site, terminal);
  const readMs = performance.now() - start;
  warnOfErrors(runtime, site, terminal);
  return { path, actor: actorOf({ as: flags.as ?? 'anonymous' }), runtime, folder: site.folder, readMs };
}

/** For a bundle without its entity type, an error that suggests it: `node/article` for `article`. */
function withEntityType(error: unknown, path: string, { services }: Runtime): unknown {
  const [name = ''] = path.slice(1).split(/[/?]/, 1);
  const type = [...services.store.types.values()].find(({ bundle }) => bundle === name);
  if (!(error instanceof NotFoundError) || type === undefined) return error;
  return new CommandError(`${error.detail} Did you mean ${type.entityType}${path}?`);
}

function formatMs(time: number): string {
  return `${time.toFixed(time < 10 ? 2 : 0)} ms`;
}
