import { explain as explainQuery } from '../api/explorer.ts';
import type { Command } from './command.ts';
import { findSite } from './find-site.ts';
import { openContent, warnOfErrors } from './open-content.ts';
import { paintJson } from './paint-json.ts';
import { QUERY_FLAGS, readQuestion, withEntityType } from './query.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Shows how a query is answered: its plan with counts, and the time it takes.',
  argument: { name: '<path>', help: 'A query of a collection, as for `query`.' },
  flags: {
    json: { help: 'Print all that is known, the query as it was understood included, as JSON.' },
    ...QUERY_FLAGS,
  },
  details: [
    'The first answer builds the index columns that the query needs; later ones find them there.',
    'With --as everyone the plan also has estimates and the way the page is found.',
  ],
  examples: [
    [
      'npx astro-jsonapi explain "node/article?filter[field_tags.title]=tides&sort=-created"',
      'The plan of a query through a reference',
    ],
    ['npx astro-jsonapi explain "node/article?filter[status]=1" --as everyone', 'With estimates'],
  ],
  async run(input) {
    const { switches, terminal } = input;
    const { print, paint } = terminal;
    const { path, actor } = readQuestion(input);
    const site = await findSite({ ...input, argument: undefined });
    const opening = performance.now();
    const runtime = await openContent(site, terminal);
    const readMs = performance.now() - opening;
    warnOfErrors(runtime, site, terminal);
    const { services } = runtime;
    const ask = () => explainQuery(services, services.access(actor), `url=${encodeURIComponent(path)}`);
    const first = await ask().catch((error: unknown) => {
      throw withEntityType(error, path, runtime);
    });
    const again = await ask();
    const found = `${first.count} ${first.count === 1 ? 'entity' : 'entities'} found`;
    if (switches.has('json')) {
      const { totalMs: firstMs, ...rest } = first;
      print(paintJson({ ...rest, readMs, firstMs, againMs: again.totalMs }, paint));
      return 0;
    }
    print(
      [
        first.plan,
        '',
        `${paint('strong', found)} in ${ms(first.totalMs)}, once indexed in ${ms(again.totalMs)} (reading ${site.folder}: ${ms(readMs)})`,
      ].join('\n'),
    );
    return 0;
  },
};

function ms(time: number): string {
  return `${time < 10 ? time.toFixed(2) : time.toFixed(0)} ms`;
}
