import type { Content } from './data.ts';

/** A parameter of a question: each peer gets every question with several values. */
export type Parameter = string | number;

/** An article for a library over plain objects: values behind references are copied in. */
export type Row = {
  readonly id: string;
  readonly title: string;
  readonly status: boolean;
  readonly state: string;
  readonly section: string;
  readonly rating: number | null;
  readonly featured: boolean;
  readonly changed: number;
  readonly date: number | null;
  /** Title of the author's boss if both may be seen. */
  readonly bossTitle: string | null;
  /** Titles of the tags that may be seen. */
  readonly tagTitles: readonly string[];
};

/** The question for SQLite. Each statement binds the parameters once, in order. */
export interface Sql {
  readonly from: string;
  readonly order: string | null;
}

/** A MongoDB-style filter, its most selective condition first: LokiJS uses an index for the first one only. */
export type Criteria = Readonly<Record<string, unknown>>;

/**
 * One question for all peers, always as an anonymous user: unpublished content is neither returned nor followed.
 * The string is the request of a client; the page is applied in the same way everywhere.
 */
export interface Question {
  readonly name: string;
  readonly variants: (content: Content) => readonly (readonly Parameter[])[];
  readonly filter: (...parameters: readonly Parameter[]) => string;
  readonly sql: Sql;
  readonly criteria: (...parameters: readonly Parameter[]) => Criteria;
  readonly sort: { readonly by: 'title' | 'changed' | 'date'; readonly descending: boolean } | null;
  readonly page: (content: Content) => { readonly offset: number; readonly limit: number };
}

const FIRST = () => ({ offset: 0, limit: 50 });
const VISIBLE = { status: true };

export const QUESTIONS: readonly Question[] = [
  {
    name: 'equality + sort + page',
    variants: () => [['published'], ['draft'], ['review'], ['archived']],
    filter: (state) => `filter[field_state]=${state}&sort=-changed`,
    sql: { from: 'article WHERE status = 1 AND state = ?', order: 'changed DESC' },
    criteria: (state) => ({ state, ...VISIBLE }),
    sort: { by: 'changed', descending: true },
    page: () => ({ offset: 20, limit: 10 }),
  },
  {
    name: 'nested group',
    variants: () => [
      ['culture', 8, 'review'],
      ['science', 5, 'draft'],
      ['news', 9, 'published'],
      ['travel', 2, 'archived'],
    ],
    filter: (section, rating, state) =>
      [
        `filter[field_section]=${section}`,
        'filter[either][group][conjunction]=OR',
        'filter[featured][condition][path]=field_featured&filter[featured][condition][value]=1',
        'filter[featured][condition][memberOf]=either',
        'filter[both][group][conjunction]=AND&filter[both][group][memberOf]=either',
        `filter[rating][condition][path]=field_rating&filter[rating][condition][value]=${rating}`,
        'filter[rating][condition][operator]=%3E%3D&filter[rating][condition][memberOf]=both',
        `filter[state][condition][path]=field_state&filter[state][condition][value]=${state}`,
        'filter[state][condition][memberOf]=both&sort=title',
      ].join('&'),
    sql: {
      from: 'article WHERE status = 1 AND section = ? AND (featured = 1 OR (rating >= ? AND state = ?))',
      order: 'title',
    },
    criteria: (section, rating, state) => ({
      section,
      ...VISIBLE,
      $or: [{ featured: true }, { $and: [{ rating: { $gte: rating } }, { state }] }],
    }),
    sort: { by: 'title', descending: false },
    page: FIRST,
  },
  {
    name: 'CONTAINS',
    variants: () => [['nova'], ['quartz 0'], ['ar'], ['fjord gl']],
    filter: (part) =>
      `filter[title][operator]=CONTAINS&filter[title][value]=${encodeURIComponent(part)}&sort=-changed`,
    sql: { from: "article WHERE status = 1 AND title LIKE '%' || ? || '%'", order: 'changed DESC' },
    criteria: (part) => ({ title: { $regex: new RegExp(String(part)) }, ...VISIBLE }),
    sort: { by: 'changed', descending: true },
    page: FIRST,
  },
  {
    name: 'reference path',
    variants: ({ persons }) =>
      [0, 3, 11, 40].map((index) => [persons.slice(index).find((one) => one.status)?.title ?? '']),
    filter: (title) => `filter[field_author.field_boss.title]=${encodeURIComponent(title)}&sort=title`,
    sql: {
      from: `article WHERE status = 1 AND author IN (
        SELECT person.pk FROM person JOIN person AS boss ON boss.pk = person.boss
        WHERE boss.title = ? AND boss.status = 1 AND person.status = 1)`,
      order: 'title',
    },
    criteria: (title) => ({ bossTitle: title, ...VISIBLE }),
    sort: { by: 'title', descending: false },
    page: FIRST,
  },
  {
    name: 'list + IS NULL',
    variants: ({ tags }) =>
      [0, 7, 90, 300].map((index) => [tags.slice(index).find((one) => one.status)?.title ?? '']),
    filter: (title) =>
      `filter[field_tags.title]=${encodeURIComponent(title)}&filter[none][condition][path]=field_rating` +
      '&filter[none][condition][operator]=IS%20NULL&sort=-changed',
    sql: {
      from: `article WHERE status = 1 AND rating IS NULL AND pk IN (
        SELECT article_tag.article FROM article_tag JOIN tag ON tag.pk = article_tag.tag
        WHERE tag.title = ? AND tag.status = 1)`,
      order: 'changed DESC',
    },
    criteria: (title) => ({ rating: null, tagTitles: title, ...VISIBLE }),
    sort: { by: 'changed', descending: true },
    page: FIRST,
  },
  {
    name: 'range',
    variants: () =>
      [
        ['2016-02-01', '2016-03-01'],
        ['2018-01-01', '2020-01-01'],
        ['2021-05-05', '2021-05-09'],
        ['2015-01-01', '2023-01-01'],
      ].map((days) => days.map((day) => Date.parse(day))),
    filter: (from, to) =>
      'filter[d][condition][path]=field_date&filter[d][condition][operator]=BETWEEN' +
      `&filter[d][condition][value][]=${encodeURIComponent(new Date(from).toISOString())}` +
      `&filter[d][condition][value][]=${encodeURIComponent(new Date(to).toISOString())}&sort=field_date`,
    sql: { from: 'article WHERE status = 1 AND date BETWEEN ? AND ?', order: 'date, pk' },
    criteria: (from, to) => ({ date: { $gte: from, $lte: to }, ...VISIBLE }),
    sort: { by: 'date', descending: false },
    page: FIRST,
  },
  {
    name: 'deep offset',
    variants: () => [['published'], ['draft'], ['review'], ['archived']],
    filter: (state) => `filter[field_state]=${state}&sort=title`,
    sql: { from: 'article WHERE status = 1 AND state = ?', order: 'title' },
    criteria: (state) => ({ state, ...VISIBLE }),
    sort: { by: 'title', descending: false },
    page: ({ articles }) => ({ offset: Math.floor(articles.length * 0.1), limit: 50 }),
  },
  {
    name: 'count',
    variants: () => [
      ['news', 7],
      ['culture', 2],
      ['science', 10],
      ['opinion', 5],
    ],
    filter: (section, rating) =>
      `filter[field_section]=${section}&filter[field_rating][operator]=%3E%3D&filter[field_rating][value]=${rating}`,
    sql: { from: 'article WHERE status = 1 AND section = ? AND rating >= ?', order: null },
    criteria: (section, rating) => ({ section, rating: { $gte: rating }, ...VISIBLE }),
    sort: null,
    page: () => ({ offset: 0, limit: 0 }),
  },
  {
    name: 'narrow equality',
    variants: ({ articles }) =>
      [0.1, 0.3, 0.6, 0.9].map((part) => [articles[Math.floor(articles.length * part)]?.title ?? '']),
    filter: (title) => `filter[title]=${encodeURIComponent(title)}`,
    sql: { from: 'article WHERE status = 1 AND title = ?', order: 'pk' },
    criteria: (title) => ({ title, ...VISIBLE }),
    sort: null,
    page: FIRST,
  },
];
