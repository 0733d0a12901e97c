import { describe, expect, it } from 'vitest';
import { documentTable } from '../../../integration/cli/table.ts';
import { ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { answer } from '../../../integration/core/api/jsonapi/answer.ts';
import type { DataDocument } from '../../../integration/core/read/document-types.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const FILES = {
  'article/a.md': '---\ntitle: A long title\nauthor: person/ada\nrating: 3\n---\n',
  'person/ada.md': '',
};
const services = await createServices(createMemoryDriver(FILES));
const document: DataDocument = await answer(
  services,
  '/node/article?fields[node--article]=title,author,rating',
  { actor: ANONYMOUS },
);
const paint = (_: string, text: string) => text;

describe('a table', () => {
  it.each([
    [80, 'id  title         rating  author\na   A long title  3       ada\n1 of 1'],
    [
      26,
      'id  title         rating\na   A long title  3\n1 of 1. No room for author: use a wider terminal or --json',
    ],
    [12, 'id  rating\na   3\n1 of 1. No room for title, author: use a wider terminal or --json'],
  ])('in %d columns names the fields it leaves out', (columns, text) => {
    expect(documentTable(document, { paint, columns })).toBe(text);
  });
});
