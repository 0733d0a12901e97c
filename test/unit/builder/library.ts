import type { Services } from '../../../integration/core/api/request.ts';
import { createContentApi, type UntypedContentApi } from '../../../integration/core/builder/index.ts';
import type { QueryObserver } from '../../../integration/core/builder/observe-queries.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import { decimal, defineSchema, reference, z } from '../../../integration/schema.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

export const schema = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_about: reference(['person', 'tag']).nullish(),
    field_rating: z.int().nullish(),
    field_price: decimal().nullish(),
    field_kit: z.array(z.object({ item: z.string(), grams: z.int() })).default([]),
  },
  person: { field_email: z.email().nullish(), field_boss: reference('person').nullish() },
  tag: {},
  'taxonomy_term--topics': {},
});

const FILES = {
  'article/first.md': `---
title: First
field_author: ada
field_tags: [news, tech]
field_about: person/bob
field_rating: 5
field_price: "9.26"
field_kit: [{ item: boots, grams: 900 }, { item: net, grams: 200 }]
path: { alias: /first }
---
# First

The first *text*.
`,
  'article/second.md':
    '---\ntitle: Second\nfield_author: bob\nfield_rating: 3\nfield_price: "10"\n---\nSecond text.\n',
  'article/third.md':
    '---\ntitle: Third\nfield_author: ghost\nfield_tags: [hidden, tech]\nfield_rating: 4\n---\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\nfield_author: ada\nfield_rating: 9\nuid: ada\n---\n',
  'article/2024/deep.md': '---\ntitle: Deep\nfield_tags: [news]\n---\n',
  'person/ada.md': '---\ntitle: Ada\nfield_boss: bob\nfield_email: ada@example.org\n---\n',
  'person/bob.md': '---\ntitle: Bob\nfield_boss: ghost\n---\n',
  'person/ghost.md': '---\ntitle: Ghost\nstatus: false\n---\n',
  'tag/news.yaml': 'title: news\n',
  'tag/tech.yaml': 'title: tech\n',
  'tag/hidden.yaml': 'title: hidden\nstatus: false\n',
  'taxonomy_term--topics/tides.yaml': 'title: tides\n',
};

export interface Library extends UntypedContentApi {
  /** The number of rendered bodies. */
  rendered(): number;
}

/** The build-time API over files, through all its layers. */
export async function createLibrary(
  files: Readonly<Record<string, string>> = FILES,
  declared: SchemaDefinition | undefined = schema,
  { observe, renderBody }: Partial<Pick<Services, 'renderBody'> & { readonly observe: QueryObserver }> = {},
): Promise<Library> {
  let rendered = 0;
  const services = await createServices(createMemoryDriver(files), declared, {
    now: () => 0,
    async renderBody(entity) {
      rendered += 1;
      return renderBody?.(entity) ?? `<p>${entity.id}</p>`;
    },
  });
  return { ...createContentApi(services, observe), rendered: () => rendered };
}
