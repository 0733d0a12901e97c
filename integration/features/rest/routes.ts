import { ANY_PATH, JOB, type Route } from '../../core/api/routes.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';

export const REST_PATH = '/api/content';

const REST = { errors: 'rest', contentType: JSON_MEDIA_TYPE, part: 'api', prefixed: true } as const;
const ENTRY = { ...REST, name: 'rest-entry', localized: true, cached: true } as const;
const CONTENT = {
  ...REST,
  name: 'rest',
  localized: true,
  below: ANY_PATH,
  cached: true,
  writes: true,
} as const;
const OLD_PATH = `/v1${REST_PATH}`;

/** The addresses that read content. */
export const READING_ROUTES: readonly Route[] = [
  { ...ENTRY, path: REST_PATH, prebuilt: true },
  { ...CONTENT, path: REST_PATH, prebuilt: true },
  { ...ENTRY, path: OLD_PATH, alias: true },
  { ...CONTENT, path: OLD_PATH, alias: true },
];

export const JOB_ROUTES: readonly Route[] = [
  { ...REST, name: 'rest-job', path: REST_PATH, below: JOB },
  { ...REST, name: 'rest-job', path: OLD_PATH, below: JOB, alias: true },
];
