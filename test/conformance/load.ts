import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Services } from '../../integration/core/api/request.ts';
import { bodyText } from '../../integration/core/content/model.ts';
import type { StorageDriver } from '../../integration/core/storage/driver.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import { createServices, type TestSite } from '../support/services.ts';
import { RECORDED_ROLES } from './roles.ts';
import SCHEMA from './schema.ts';

/** One recorded request with Drupal's response. */
export interface ReadCase {
  readonly id: string;
  /** GET by default. */
  readonly method?: string;
  readonly path: string;
  readonly as: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ids?: readonly string[];
  readonly included?: readonly string[];
  readonly links?: readonly string[];
  readonly omitted?: readonly string[];
  /** True if Drupal failed with a 500. */
  readonly crash?: boolean;
}

/** The recorded content, written as files and read through the content layer. */
export async function loadRecordedContent(
  site: Pick<TestSite, 'writable'> = {},
  driver: StorageDriver = createMemoryDriver(recordedFiles()),
): Promise<Services> {
  const renderBody: Services['renderBody'] = async ({ body }) =>
    body === null ? '' : `<p>${bodyText(body)}</p>`;
  return createServices(driver, SCHEMA, { renderBody, roles: RECORDED_ROLES, ...site });
}

export function recordedFiles(): Readonly<Record<string, string>> {
  const owner = JSON.stringify({ id: OWNER_ID, label: 'admin', created: 0, changed: 0 });
  return Object.fromEntries([...recordedEntities().map(contentFile), ['user--user/admin.json', owner]]);
}

/** The user who owns all content. */
const OWNER_ID = 'e0000000-0000-4000-8000-000000000001';

/** The recorded content in its original form. */
export function recordedEntities(): readonly RecordedEntity[] {
  return dataSchema.parse(JSON.parse(readData('dataset.json'))).entities;
}

export function readCases(): ReadCase[] {
  return readData('reads.jsonl')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => caseSchema.parse(JSON.parse(line)));
}

/** `a7` for a UUID of the data set; other strings are unchanged. */
export function shortId(id: string): string {
  const match = /^([abc])0000000-0000-4000-8000-(\d{12})$/.exec(id);
  return match === null ? id : `${match[1]}${Number(match[2])}`;
}

/** The UUID for Drupal's internal number, by bundle order: persons 1–8, tags 9–18, articles 19–78. */
export function uuidOf(nid: number): string {
  const [letter, first] = nid < 9 ? ['b', 1] : nid < 19 ? ['c', 9] : ['a', 19];
  return `${letter}0000000-0000-4000-8000-${String(nid - Number(first) + 1).padStart(12, '0')}`;
}

/** Articles with a body are Markdown, everything else is JSON, because files without a body need no Markdown. */
export function contentFile(entity: RecordedEntity): [string, string] {
  const { bundle, uuid, nid, title, status, created, changed } = entity;
  const { body, field_date: date, ...fields } = entity.fields;
  const text = bodySchema.parse(body ?? null);
  const data = {
    id: uuid,
    title,
    status: status === 1,
    created,
    changed,
    uid: OWNER_ID,
    drupal_internal__nid: nid,
    ...fields,
    ...(typeof date === 'string' ? { field_date: `${date}+00:00` } : {}),
    ...(text === null ? {} : { summary: text.summary }),
  };
  if (text === null) return [`${bundle}/${uuid}.json`, JSON.stringify(data)];
  return [`${bundle}/${uuid}.md`, `---\n${JSON.stringify(data)}\n---\n${text.value}`];
}

function readData(name: string): string {
  return readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8');
}

const bodySchema = z.object({ value: z.string(), summary: z.string().nullable() }).nullable();

const entitySchema = z.object({
  bundle: z.string(),
  uuid: z.string(),
  nid: z.int(),
  status: z.int(),
  created: z.int(),
  changed: z.int(),
  title: z.string(),
  fields: z.record(z.string(), z.json()),
});
export type RecordedEntity = z.infer<typeof entitySchema>;

const dataSchema = z.object({ entities: z.array(entitySchema) });

const caseSchema: z.ZodType<ReadCase> = z.object({
  id: z.string(),
  method: z.string().exactOptional(),
  path: z.string(),
  as: z.string(),
  status: z.int(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  ids: z.array(z.string()).exactOptional(),
  included: z.array(z.string()).exactOptional(),
  links: z.array(z.string()).exactOptional(),
  omitted: z.array(z.string()).exactOptional(),
  crash: z.boolean().exactOptional(),
});
