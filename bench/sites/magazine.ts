import { defineSchema, reference, z } from '../../integration/schema.ts';
import { type Content, dateTime, generate, xorshift } from '../data.ts';

/** Plain content with texts, as authors write it. */
export interface Magazine extends Content {
  /** Paragraphs and headings of each article. */
  readonly bodies: readonly (readonly Block[])[];
}

export interface Block {
  readonly tag: 'h2' | 'p';
  readonly text: string;
}

/** Persons and tags of the generated content. */
const OTHERS = 1500;
const DAY = 86_400_000;
const VOCABULARY = 20_000;
const SYLLABLES = 'ba den fo gri hal jo ka lem mur ne ost pla qui ran sto tel um ver wi zan'.split(' ');

const moment = z.iso.datetime({ offset: true });

export const MAGAZINE_SCHEMA = defineSchema({
  article: {
    title: z.string(),
    field_author: reference('person').nullish(),
    field_date: moment.nullish(),
    field_featured: z.boolean(),
    field_rating: z.int().nullish(),
    field_section: z.string(),
    field_state: z.string(),
    field_tags: z.array(reference('tag')),
  },
  person: { title: z.string(), field_boss: reference('person').nullish() },
  tag: { title: z.string(), field_weight: z.int() },
});

/** The same content for the same number of entities. An article has about 150 words, of which few are frequent. */
export function createMagazine(entities: number): Magazine {
  const content = generate(entities - OTHERS);
  const random = xorshift(0x2545f491);
  const words = (count: number) =>
    Array.from({ length: count }, () => word(Math.floor(VOCABULARY ** random()))).join(' ');
  const bodies = content.articles.map(() => {
    const block = (tag: Block['tag'], count: number): Block => ({ tag, text: words(count) });
    return [block('p', 50), block('h2', 3), block('p', 45), block('p', 50)];
  });
  return { ...content, bodies };
}

/** The files by key, with Markdown as the body. */
export function markdownFiles({ persons, tags, articles, bodies }: Magazine): Record<string, string> {
  const files: Record<string, string> = {};
  const write = (bundle: string, id: string, values: Readonly<Record<string, unknown>>, body = '') => {
    const lines = Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : [`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`],
    );
    files[`${bundle}/${id}.md`] = `---\n${lines.join('')}---\n\n${body}`;
  };
  const idOf = (list: readonly { readonly id: string }[], index: number | null) =>
    index === null ? null : (list[index]?.id ?? null);
  for (const { id, title, status, boss } of persons) {
    write('person', id, { title, status, field_boss: idOf(persons, boss) });
  }
  for (const { id, title, status, weight } of tags) write('tag', id, { title, status, field_weight: weight });
  for (const [at, article] of articles.entries()) {
    const { id, title, status, changed, author, date, featured, rating, section, state } = article;
    write(
      'article',
      id,
      {
        title,
        status,
        created: dateTime(changed),
        changed: dateTime(changed + ((at * 7) % 1000) * DAY),
        field_author: idOf(persons, author),
        field_date: date === null ? null : dateTime(date),
        field_featured: featured,
        field_rating: rating,
        field_section: section,
        field_state: state,
        field_tags: article.tags.map((index) => idOf(tags, index)),
      },
      markdownOf(bodies[at] ?? []),
    );
  }
  return files;
}

export function markdownOf(blocks: readonly Block[]): string {
  return blocks.map(({ tag, text }) => (tag === 'h2' ? `## ${text}\n` : `${text}.\n`)).join('\n');
}

/** The HTML of a body that `markdownOf` wrote. */
export function htmlOf(markdown: string): string {
  const blocks = markdown.trim().split('\n\n');
  return blocks
    .map((text) => (text.startsWith('## ') ? `<h2>${text.slice(3)}</h2>` : `<p>${text}</p>`))
    .join('\n');
}

/** Different ranks have different words. */
export function word(rank: number): string {
  let text = '';
  for (let rest = rank; rest > 0 || text === ''; rest = Math.floor(rest / SYLLABLES.length)) {
    text += SYLLABLES[rest % SYLLABLES.length] ?? '';
  }
  return text;
}
