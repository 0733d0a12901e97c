import { describe, expect, it } from 'vitest';
import type { Field } from '../../../admin/src/api/schema.ts';
import { translationDefaults } from '../../../admin/src/model/entity-form.ts';
import {
  type LanguageState,
  languageStates,
  nextLanguage,
  sourceLanguage,
  translationLanguage,
} from '../../../admin/src/model/translations.ts';

const LANGUAGES = ['en', 'de', 'fr'];
const resource = (
  attributes: Readonly<Record<string, unknown>>,
  translations?: Readonly<Record<string, unknown>>,
) => ({ attributes, meta: translations === undefined ? {} : { translations } });

const source: LanguageState = { code: 'en', state: 'source', isPublished: true, isOutdated: false };
const missing = (code: string): LanguageState => ({
  code,
  state: 'missing',
  isPublished: false,
  isOutdated: false,
});
const translated = (code: string, more: Partial<LanguageState> = {}): LanguageState => ({
  ...missing(code),
  state: 'translated',
  isPublished: true,
  ...more,
});

describe('the languages of an entity', () => {
  it('are all missing but the source without translations', () => {
    const entity = resource({ langcode: 'en', status: true });
    expect(translationLanguage(entity)).toBeUndefined();
    // The account does not see the field.
    expect(translationLanguage(resource({}))).toBeUndefined();
    expect(languageStates(LANGUAGES, entity)).toEqual([source, missing('de'), missing('fr')]);
  });

  it('have the state of each translation, whichever language was read', () => {
    const entity = resource(
      { langcode: 'de', status: false },
      { fr: { status: true }, de: { status: false, outdated: true } },
    );
    expect([sourceLanguage(entity), translationLanguage(entity)]).toEqual(['fr', 'de']);
    expect(languageStates(LANGUAGES, entity)).toEqual([
      missing('en'),
      translated('de', { isPublished: false, isOutdated: true }),
      { ...source, code: 'fr' },
    ]);
  });

  it.each([
    ['the first to create', [source, translated('de', { isOutdated: true }), missing('fr')], ['fr'], 'fr'],
    ['else an outdated one', [source, missing('de'), translated('fr', { isOutdated: true })], [], 'fr'],
    ['else any other one', [source, translated('de')], [], 'de'],
    ['none on a site with one', [source], [], undefined],
  ])('to translate into next: %s', (_, states, creatable, expected) => {
    expect(nextLanguage(states, new Set(creatable))).toBe(expected);
  });
});

const field = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  name,
  kind,
  list: false,
  targets: [],
  properties: [],
  required: false,
  ...more,
});

describe('a new translation', () => {
  it('begins with the values of the source that are not text and that it does not share', () => {
    const fields = [
      field('title', 'string'),
      field('body', 'formatted_text'),
      field('status', 'boolean'),
      field('created', 'datetime'),
      field('path', 'object'),
      field('lead', 'string'),
      field('mood', 'string', { choices: ['calm', 'rough'] }),
      field('rating', 'integer'),
      field('featured', 'boolean'),
      field('tags', 'reference', { list: true }),
      field('authors', 'reference', { list: true }),
      field('seats', 'integer', { untranslated: true }),
    ];
    const values = {
      title: 'Moon',
      body: { value: 'Late', summary: null },
      status: true,
      created: '2024-01-01T00:00:00Z',
      path: { alias: '/moon' },
      lead: 'Lead',
      mood: 'calm',
      rating: 3,
      featured: null,
      tags: [{ type: 'node--tag', id: 'sky' }],
      authors: [],
      seats: 20,
    };
    expect(translationDefaults(fields, values)).toEqual({
      mood: 'calm',
      rating: 3,
      tags: [{ type: 'node--tag', id: 'sky' }],
    });
  });
});
