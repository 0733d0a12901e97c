import { satteri } from '@astrojs/markdown-satteri';
import { createBodyRenderer } from '../../integration/astro/markdown.ts';
import { mergeContentFile } from '../../integration/core/content/merge-file.ts';
import type { Entity } from '../../integration/core/content/model.ts';
import { isSafeBody, ownChecks } from '../../integration/core/write/body.ts';
import { createBlobs, mergeBlobs } from '../../integration/features/git/blobs.ts';
import { openRepository } from '../../integration/features/git/repository.ts';
import { pageDangers } from '../endurance/page-dangers.ts';
import { createBodies } from '../endurance/random-bodies.ts';
import { createBody } from './body.ts';
import { runGit } from './git-site.ts';
import { createRandom } from './random.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Renders bodies as a site with Astro's default settings. */
export async function createRenderer(): Promise<(entity: Entity) => Promise<string>> {
  const processor = await satteri({}).createRenderer({ syntaxHighlight: false });
  return createBodyRenderer({ contentUrl: undefined, createRenderer: async () => processor });
}

export interface MergedPairs {
  /** Pairs whose lines merge into a body that neither side has. */
  readonly merged: number;
  /** Those of them that are conflicts, because the merged body is not safe. */
  readonly unsafe: number;
  /** Unsafe bodies that are on the branch after a merge, with their effects in a page. */
  readonly failures: readonly string[];
}

/** Merges pairs of accepted bodies over an accepted base, as servers do after a pull. The same seed makes the same pairs. */
export async function mergePairs(pairs: number, seed: number): Promise<MergedPairs> {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(list: readonly T[], fallback: T): T => list[below(list.length)] ?? fallback;
  const makeBody = createBodies(seed);
  const folder = temporaryFolder();
  runGit(folder, ['init', '-q']);
  const repository = await openRepository(folder);
  const renderBody = await createRenderer();
  let version = 0;
  const entityOf = (text: string) =>
    ({ key: 'a.md', revision: `${version++}`, values: {}, body: createBody(text) }) as unknown as Entity;
  const isAccepted = (text: string) => isSafeBody({ renderBody, checks: ownChecks }, entityOf(text));

  /** Lines that change what the lines around them mean, and lines that run if they are not code. */
  const lines = () => [pick(EDGES, ''), pick(HOSTILE, ''), makeBody().split('\n')[0] ?? '', 'Text.', ''];

  function makeBase(): readonly string[] {
    const blocks = Array.from({ length: 1 + below(3) }, () => {
      const [start, end] = pick(FENCES, ['```', '```']);
      const inside = Array.from({ length: 3 + below(4) }, (_, at) => `Line ${at} of a block.`);
      return [...(below(3) === 0 ? [makeBody(), ''] : []), start, ...inside, end, '', 'Between.', ''];
    });
    return blocks.flat().join('\n').split('\n');
  }

  function edit(base: readonly string[]): readonly string[] {
    const edited = [...base];
    for (let count = 1 + below(2); count > 0; count -= 1) {
      const at = below(edited.length);
      const kind = below(4);
      if (kind < 2) edited.splice(at, 0, pick(lines(), ''));
      else if (kind === 2) edited.splice(at, 1, pick(lines(), ''));
      else {
        // Both ends of a block.
        const ends = edited.flatMap((line, index) => (ENDS.has(line) ? [index] : []));
        const first = below(ends.length);
        for (const index of ends.slice(first, first + 2).reverse()) edited.splice(index, 1);
      }
    }
    return edited;
  }

  async function accepted(make: () => readonly string[]): Promise<string> {
    for (;;) {
      const text = make().join('\n');
      if (await isAccepted(text)) return text;
    }
  }

  const result = { merged: 0, unsafe: 0 };
  const failures: string[] = [];
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  for (let pair = 0; pair < pairs; pair += 1) {
    const base = await accepted(makeBase);
    const sides = base.split('\n');
    const [ours, theirs] = [await accepted(() => edit(sides)), await accepted(() => edit(sides))];
    const blobs = await createBlobs(repository, []);
    const encode = (text: string) => encoder.encode(`---\ntitle: A\n---\n${text}`);
    const merged = await mergeContentFile(
      'a.md',
      { base: encode(base), ours: encode(ours), theirs: encode(theirs) },
      {
        async mergeText(texts) {
          const idOf = (text: string) => blobs.add(encoder.encode(text));
          const ids = [idOf(texts.ours), idOf(texts.base), idOf(texts.theirs)] as const;
          const blob = await mergeBlobs(folder, blobs, ids);
          return blob && decoder.decode(await blobs.bytesOf(blob));
        },
        async isAllowed(_, bytes) {
          result.merged += 1;
          const isAllowed = await isAccepted(bodyOf(bytes));
          if (!isAllowed) result.unsafe += 1;
          return isAllowed;
        },
      },
    );
    const text = merged === undefined ? theirs : bodyOf(merged.bytes);
    const dangers = pageDangers(await renderBody(entityOf(text)));
    if (dangers.length > 0) failures.push(JSON.stringify({ base, ours, theirs, text, dangers }));
  }
  return { ...result, failures };
}

function bodyOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace('---\ntitle: A\n---\n', '');
}

const FENCES: readonly (readonly [string, string])[] = [
  ['```', '```'],
  ['~~~ html', '~~~'],
  ['````', '````'],
  ['<!-- a', '-->'],
  ['<pre>', '</pre>'],
  ['<div title="', '">x</div>'],
];
const ENDS = new Set(FENCES.flat());
const EDGES = [
  ...ENDS,
  '<!--',
  '-->',
  '`',
  '</div>',
  '<div>',
  '\\',
  '    ',
  '> ',
  '- ',
  '[a]: /b',
  '$$',
  ':::',
];
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '" onmouseover="alert(1)" x="',
  '[x](javascript:alert(1))',
  '<style>*{display:none}</style>',
];
