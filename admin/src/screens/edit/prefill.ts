import { account } from '../../api/account.svelte.ts';
import { readResource, titleOf } from '../../api/content.ts';
import type { JsonObject } from '../../api/document.ts';
import { type DraftOrigin, keepDraft, newSlot } from '../../api/drafts.ts';
import { readOptions } from '../../api/entity-options.ts';
import { fileQuery } from '../../api/file-values.ts';
import { type Bundle, type Field, inputFields, pathTo } from '../../api/schema.ts';
import { site } from '../../api/site.svelte.ts';
import { isFilled, isSame } from '../../model/document.ts';
import { type Values, valuesOf, writeChanges } from '../../model/entity-form.ts';
import { SCHEDULE_FIELDS } from '../../model/publication.ts';
import { href, router } from '../../router.svelte.ts';
import { text } from '../../texts/texts.ts';

/** Belong to one entry: its address, publication, owner and dates. */
const OWN = ['path', 'status', 'uid', 'created', 'changed'];

/** Opens the form of a new entry with the values of another one. Translations are not copied. Throws RequestError. */
export async function duplicate(bundle: Bundle, id: string): Promise<void> {
  const { resource, values } = await readValues(bundle, id);
  const title = titleOf(resource);
  const copy = { ...values, title: text('edit.copyOf', { title }) };
  await openPrefilled(bundle, copy, { kind: 'copy', name: title });
}

/** The values of an entry that a new one can begin with, as a resource has them. Throws RequestError. */
export async function readTemplateValues(bundle: Bundle, id: string) {
  const { values } = await readValues(bundle, id);
  const { data } = writeChanges({ type: bundle.name }, bundle.fields, values) ?? {};
  const { attributes = {}, relationships = {} } = (data ?? {}) as Record<string, JsonObject | undefined>;
  return { attributes, relationships };
}

/** Opens the form of a new entry with these values, which are kept as unsent changes. Throws RequestError. */
export async function openPrefilled(bundle: Bundle, values: Values, origin: DraftOrigin): Promise<void> {
  const { writable } = await readOptions(pathTo(bundle));
  const changes = Object.fromEntries(Object.entries(values).filter(([name]) => writable.has(name)));
  const empty = valuesOf(bundle.fields);
  const slot = newSlot();
  await keepDraft({
    key: { account: account.name, type: bundle.name, id: undefined, language: undefined, slot },
    title: String(values.title ?? ''),
    base: Object.fromEntries(Object.keys(changes).map((name) => [name, empty[name]])),
    changes,
    saved: Date.now(),
    origin,
  });
  const { entityType, bundle: name } = bundle;
  router.go(href('create', { entityType, bundle: name }, { draft: slot }));
}

/** The values of the template fields that are not empty. */
export function templateValues(bundle: Bundle, resource: unknown): Values {
  return filledValues(bundle.fields, valuesOf(bundle.fields, resource));
}

async function readValues(bundle: Bundle, id: string) {
  const resource = await readResource(pathTo(bundle, id, fileQuery(bundle)));
  return { resource, values: filledValues(bundle.fields, valuesOf(bundle.fields, resource)) };
}

function filledValues(fields: readonly Field[], values: Values): Values {
  const empty: Values = { ...valuesOf(fields), langcode: site.schema.languages[0] ?? values.langcode };
  const own = inputFields(fields).filter(
    ({ name }) =>
      ![...OWN, ...SCHEDULE_FIELDS].includes(name) &&
      isFilled(values[name] ?? null) &&
      !isSame(values[name], empty[name]),
  );
  return Object.fromEntries(own.map(({ name }) => [name, values[name]]));
}
