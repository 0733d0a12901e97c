import { expect, test } from 'vitest';
import { publicationOf } from '../../../admin/src/model/publication.ts';

const NOW = Date.parse('2026-11-01T12:00:00Z');

test.each([
  [{}, 'draft'],
  [{ status: false, publish_on: '2026-12-01T00:00:00Z' }, 'draft'],
  [{ status: true }, 'published'],
  [{ status: true, publish_on: null, unpublish_on: null }, 'published'],
  [{ status: true, publish_on: '2026-11-01T12:00:00Z' }, 'published'],
  [{ status: true, publish_on: '2026-11-01T14:00:01+02:00' }, 'scheduled'],
  [{ status: true, publishDate: '2026-11-02' }, 'scheduled'],
  [{ status: true, unpublish_on: '2026-11-01T12:00:01Z' }, 'published'],
  [{ status: true, unpublish_on: '2026-11-01T12:00:00Z' }, 'expired'],
  [{ status: true, publish_on: '2026-12-01T00:00:00Z', unpublish_on: '2027-01-01T00:00:00Z' }, 'scheduled'],
])('%j is %s at noon on 1 November 2026', (attributes, state) => {
  expect(publicationOf({ attributes }, NOW)).toBe(state);
});
