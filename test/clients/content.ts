/** The number of articles that anonymous readers see: `a01` to `a24`. */
export const ARTICLES = 24;

/** `a01` and so on, in the default order. */
export const articleId = (number: number): string => `a${String(number).padStart(2, '0')}`;

/** The ids of the articles whose number passes the test. */
export function articleIds(test: (number: number) => boolean): readonly string[] {
  return NUMBERS.filter(test).map(articleId);
}

/** 0 to 9; the seventh article has no value. */
export const ratingOf = (number: number): number | undefined => (number === 7 ? undefined : number % 10);

/** The author of the sixth article is unpublished. */
export const authorOf = (number: number): string =>
  number === 6 ? 'dan' : (['ada', 'bob', 'cy'][number % 3] ?? 'ada');

/** All content files except the schema, by path. */
export function contentFiles(): Readonly<Record<string, string>> {
  const articles = NUMBERS.map((number) => [`article/${articleId(number)}.md`, article(number)]);
  return { ...Object.fromEntries(articles), ...OTHERS };
}

const NUMBERS = Array.from({ length: ARTICLES }, (_, at) => at + 1);

const SUBJECTS: Readonly<Record<number, string>> = { 1: 'person/bob', 2: 'tag/sea', 3: 'person/nobody' };

function article(number: number): string {
  const tags = [...(number % 2 === 0 ? ['sea'] : []), ...(number % 5 === 0 ? ['sky'] : [])];
  const subject = SUBJECTS[number];
  const rating = ratingOf(number);
  return [
    '---',
    `title: Article ${number}`,
    `created: 2026-01-${String(number).padStart(2, '0')}T12:00:00Z`,
    `langcode: ${number > 20 ? 'de' : 'en'}`,
    `field_author: ${authorOf(number)}`,
    `field_tags: [${tags.join(', ')}]`,
    ...(subject === undefined ? [] : [`field_subject: ${subject}`]),
    ...(rating === undefined ? [] : [`field_rating: ${rating}`]),
    'field_a: ada',
    'field_b: bob',
    'field_c: sky',
    '---',
    `Text of article ${number}.`,
    '',
  ].join('\n');
}

/** More than a megabyte of stories, so that their list is sent in chunks. */
export const STORIES: readonly string[] = Array.from({ length: 8 }, (_, at) => `s${at}`);
const STORY = `${'A long line of a story. '.repeat(20)}\n\n`.repeat(200);

const OTHERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(STORIES.map((id) => [`story/${id}.md`, `---\ntitle: Story ${id}\n---\n${STORY}`])),
  'article/hidden.md': '---\ntitle: Hidden\ndraft: true\nfield_author: ada\n---\n',
  'person/ada.md': '---\ntitle: Ada\nfield_boss: bob\npath: /people/ada\n---\n',
  'person/bob.md': '---\ntitle: Bob\nfield_boss: ada\n---\n',
  'person/cy.md': '---\ntitle: Cy\n---\n',
  'person/dan.md': '---\ntitle: Dan\ndraft: true\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  'menu_link_content--main/blog.yaml': 'title: Blog\nurl: /blog\n',
  'menu_link_content--main/first.yaml': 'title: First\nurl: /blog/a01\nparent: blog\n',
};
