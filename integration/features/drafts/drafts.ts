import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument, readResource } from '../../core/api/jsonapi/deserialize.ts';
import { pageLinks } from '../../core/api/jsonapi/document.ts';
import { withFileUris } from '../../core/api/jsonapi/file-uris.ts';
import { checkJsonApiBody } from '../../core/api/media-type.ts';
import {
  type ApiRequest,
  addressOf,
  checkMethod,
  noContent,
  pointerIn,
  preconditionsOf,
  type ReadRequest,
  type Services,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { methodsOf, READING_METHODS } from '../../core/api/routes.ts';
import { type Entity, languageOf, type ResourceType } from '../../core/content/model.ts';
import { LANGUAGE_PARAMETER, parseQuery } from '../../core/engine/parse/parse-query.ts';
import { parseSerialized, type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER, type OptionsDocument } from '../../core/read/document-types.ts';
import { createRequestPager, createServerLinks } from '../../core/read/links.ts';
import type { FindDraft } from '../../core/read/reader.ts';
import { visibleTitle } from '../../core/read/sparse-fields.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import {
  BadParameterError,
  MethodNotAllowedError,
  NotFoundError,
  UnauthorizedError,
} from '../../core/util/errors.ts';
import { isRecord } from '../../core/util/json.ts';
import { checkMayAtAll, checkMayTranslate } from '../../core/write/permissions.ts';
import { badBody } from '../../core/write/request-json.ts';
import { accessToDraft } from './draft-access.ts';
import { type DraftEntry, findDraft, keyOfDraft, readDrafts } from './draft-files.ts';
import {
  checkReadable,
  type OpenDraft,
  openDraft,
  revisionOfDraft,
  type SavedDraft,
  type Saving,
} from './open-draft.ts';
import { DRAFTS_SEGMENT } from './routes.ts';
import { type EntryChange, saveChanges } from './save-changes.ts';
import { removeDraftOf, saveDraft } from './save-draft.ts';
import {
  optionsDocument,
  readListQuery,
  shortcomingsOf,
  unfinishedDocument,
  withFileTimes,
} from './unfinished.ts';

/** `GET /jsonapi/_drafts`: the drafts that the actor may see, the latest change first. */
export async function listDrafts(request: ApiRequest): Promise<SerializedBody> {
  const { target, services } = request;
  checkReader(request);
  const { wanted, id, page } = readListQuery(request, ['type', 'id']);
  const entries = await readDrafts(services.fileSources.content);
  const drafts: Listed[] = [];
  for (const entry of entries) {
    const type = services.store.types.get(entry.type);
    if (type === undefined || (wanted ?? type.name) !== type.name || (id ?? entry.id) !== entry.id) continue;
    const draft = await visibleDraft(request, entry, type);
    if (draft === undefined) continue;
    const file = await services.fileSources.content.stat(keyOfDraft(entry));
    drafts.push({ ...draft, entry, changed: file?.mtimeMs ?? 0 });
  }
  drafts.sort((one, other) => other.changed - one.changed);
  const pager = createRequestPager(addressOf(request, DRAFTS_SEGMENT), target.query);
  const { offset, limit } = page;
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: drafts.slice(offset, offset + limit).map((draft) => describe(request, draft)),
    meta: { count: drafts.length },
    links: { self: { href: pager.self }, ...pageLinks(pager, page, drafts.length) },
  });
}

interface Listed extends OpenDraft {
  readonly entry: DraftEntry;
  readonly changed: number;
}

function describe(request: ApiRequest, { type, entity, problems, entry, changed, stored }: Listed) {
  const { access } = request;
  const { missing, problems: others } = shortcomingsOf(request, type, problems);
  const { uid } = entity.values;
  const { id, translation = null, author = uid } = entry;
  return {
    type: 'draft',
    id: `${type.name}/${id}${languageQuery(entry)}`,
    attributes: {
      title: visibleTitle(access, type, entity) ?? null,
      resource: { type: type.name, id, translation },
      author: access.fieldVisible(type, 'uid') && typeof author === 'string' ? author : null,
      changed: new Date(changed).toISOString(),
      missing,
      problems: others,
      /** True for changes of an entry that is stored. */
      changes_entry: stored !== undefined,
    },
    links: { self: { href: draftAddress(request, type, entry) } },
  };
}

/** `GET /jsonapi/_drafts/{type}/{id}`: the fields of a draft as a resource of its type. */
export async function showDraft(request: ApiRequest): Promise<SerializedBody> {
  checkReader(request);
  const { entry, ...draft } = await findAddressed(request);
  return draftDocument(request, draft, entry);
}

/** Finds drafts for other parts of a server. */
export function createDraftFinder(services: () => Services): FindDraft {
  return async ({ actor, access }, { type: name, id, translation }) => {
    const { fileSources, store, preview } = services();
    const files = fileSources.content;
    const type = store.types.get(name);
    const entry = await findDraft(files, name, id, translation);
    if (type === undefined || entry === undefined) return undefined;
    const draft = await openDraft({ store, preview }, files, entry, type);
    if (draft === undefined) return undefined;
    const { entity, isReadable, stored } = draft;
    const may = accessToDraft({ actor, access }, type, entity, entry, stored);
    if (!may.reads) return undefined;
    return {
      entity: isReadable
        ? await withFileTimes({ services: services() }, entity, keyOfDraft(entry))
        : undefined,
      changesEntry: entry.base !== undefined,
      mayChange: may.changes,
    };
  };
}

/** The methods of a draft, and the fields that the actor may change. */
export async function describeDraft(request: ReadRequest): Promise<OptionsDocument> {
  checkReader(request);
  const { type, entity, entry, stored } = await findAddressed(request);
  const { access, changes, removes } = accessToDraft(writerOf(request), type, entity, entry, stored);
  const allow = methodsOf(request.target.route).filter(
    (method) => method !== 'POST' && (method !== 'DELETE' || removes) && (method !== 'PATCH' || changes),
  );
  return optionsDocument(
    allow,
    type,
    (name) =>
      changes &&
      !(entry.translation !== undefined && type.fields.get(name)?.untranslated === true) &&
      access.fieldWritable(type, name, 'update', entity),
  );
}

/** `POST /jsonapi/_drafts` stores a draft, or creates the entry if it passes the schema. */
export async function createDraft(request: WriteRequest, saving: Saving): Promise<WriteResponse> {
  const { access, services } = request;
  checkChange(request);
  if (request.language !== undefined) {
    throw new BadParameterError(
      LANGUAGE_PARAMETER,
      'Leave out langCode. Send a translation to the address of its entry below _drafts.',
    );
  }
  checkJsonApiBody(request);
  const document = await documentOf(request);
  const { data } = document;
  const name = isRecord(data) ? data.type : undefined;
  const type = typeof name === 'string' ? services.store.types.get(name) : undefined;
  if (type === undefined) throw badBody('`data.type` must be a resource type of the content.', '/data/type');
  checkMayAtAll(writerOf(request), 'create', type);
  const input = readResource(document, type, access, undefined);
  return save(request, type, { entry: undefined, input, when: NO_PRECONDITIONS }, saving);
}

/**
 * `PATCH /jsonapi/_drafts/{type}/{id}` changes a draft, which becomes an entry if it passes the schema. `DELETE` removes it. `POST`
 * stores changes of this entry that may be incomplete, or with a new language the draft of a translation.
 */
export async function writeDraft(request: WriteRequest, saving: Saving): Promise<WriteResponse> {
  checkChange(request);
  if (request.method === 'POST') return createOfEntry(request, saving);
  const { entry, type, entity, stored } = await findAddressed(request);
  const when = preconditionsOf(request);
  if (request.method === 'DELETE') {
    return noContent(
      await request.writer.perform(writerOf(request), [removeDraftOf({ type, entry, when }, saving)]),
    );
  }
  checkJsonApiBody(request);
  const { access } = accessToDraft(writerOf(request), type, entity, entry, stored);
  const input = readResource(await documentOf(request), type, access, entry.id);
  const { id, translation } = entry;
  return stored === undefined
    ? save(request, type, { entry, input, when }, saving)
    : saveOfEntry(request, { type, id, translation, entry, input, when }, saving);
}

async function createOfEntry(request: WriteRequest, saving: Saving): Promise<WriteResponse> {
  const { access, actor, services, language } = request;
  const { type, id } = addressedIn(request);
  const found = type && (await services.engine.find(type.name, id, services.access(actor, 'source')));
  const source = found && services.store.get(found.type, found.id);
  if (type === undefined || source === undefined) {
    throw new NotFoundError('The entry to change or translate does not exist, or you may not see it.');
  }
  const isSource = language === undefined || languageOf(source) === language.langcode;
  const translation = isSource ? undefined : language.langcode;
  if (isSource || services.store.get(type.name, source.id, translation) !== undefined) {
    checkJsonApiBody(request);
    const input = readResource(await documentOf(request), type, access, source.id);
    const when = preconditionsOf(request);
    return saveOfEntry(request, { type, id: source.id, translation, entry: undefined, input, when }, saving);
  }
  checkMayTranslate(writerOf(request), type, source, language.langcode);
  checkJsonApiBody(request);
  const input = readResource(await documentOf(request), type, access, source.id, 'optional');
  const translates = { id: source.id, language: language.langcode };
  return save(request, type, { entry: undefined, translates, input, when: NO_PRECONDITIONS }, saving);
}

const NO_PRECONDITIONS = { ifMatch: null, ifNoneMatch: null };

/** Saves changes of a stored entry. The response has the entry, or its draft. */
async function saveOfEntry(
  request: WriteRequest,
  change: Omit<EntryChange, 'onSaved'>,
  saving: Saving,
): Promise<WriteResponse> {
  const { services, access, target } = request;
  let isStored = false;
  const onSaved = ({ isEntry }: SavedDraft) => {
    isStored = isEntry;
  };
  const operation = saveChanges({ ...change, onSaved }, saving);
  const { job } = await request.writer.perform(writerOf(request), [operation]);
  const { type: former, id, translation } = change;
  const type = services.store.types.get(former.name) ?? former;
  const response = { job, pointerOf: pointerIn(change.input) };
  const entity = isStored ? services.store.get(type.name, id, translation) : undefined;
  if (entity !== undefined) {
    const links = createServerLinks(services.settings, target.origin, access);
    const address =
      translation === undefined ? links.individual(type, id) : links.translation(type, id, translation);
    const written = await unfinishedDocument(request, type, entity, address, {});
    return { ...response, outcome: 'changed', written };
  }
  const files = services.fileSources.content;
  const entry = await findDraft(files, type.name, id, translation);
  const draft = entry && (await openDraft(services, files, entry, type));
  if (entry === undefined || draft === undefined) throw new NotFoundError(MISSING);
  const written = await draftDocument(request, draft, entry);
  if (change.entry !== undefined) return { ...response, outcome: 'changed', written };
  return {
    ...response,
    outcome: 'created',
    written,
    headers: { location: draftAddress(request, type, entry) },
  };
}

/** Saves a draft. The response has the entry with its address, or the draft. */
async function save(
  request: WriteRequest,
  type: ResourceType,
  change: Pick<Parameters<typeof saveDraft>[0], 'entry' | 'translates' | 'input' | 'when'>,
  saving: Saving,
): Promise<WriteResponse> {
  const { services, access, target } = request;
  let saved: SavedDraft | undefined;
  const onSaved = (result: SavedDraft) => {
    saved = result;
  };
  const operation = saveDraft({ ...change, type, onSaved }, saving);
  const { job } = await request.writer.perform(writerOf(request), [operation]);
  const { id, isEntry } = (saved as SavedDraft | undefined) ?? { id: '', isEntry: false };
  const response = { job, pointerOf: pointerIn(change.input) };
  const current = services.store.types.get(type.name) ?? type;
  const language = change.translates?.language ?? change.entry?.translation;
  const entity = isEntry ? services.store.get(type.name, id, language) : undefined;
  if (entity !== undefined) {
    const links = createServerLinks(services.settings, target.origin, access);
    const location =
      language === undefined ? links.individual(current, id) : links.translation(current, id, language);
    const written = await unfinishedDocument(request, current, entity, location, {});
    return { ...response, outcome: 'created', written, headers: { location } };
  }
  const files = services.fileSources.content;
  const entry = await findDraft(files, type.name, id, language);
  const draft = entry && (await openDraft(services, files, entry, current));
  if (entry === undefined || draft === undefined) throw new NotFoundError(MISSING);
  const written = await draftDocument(request, draft, entry);
  if (change.entry !== undefined) return { ...response, outcome: 'changed', written };
  const headers = { location: draftAddress(request, type, entry) };
  return { ...response, outcome: 'created', written, headers };
}

async function draftDocument(
  request: ApiRequest,
  open: OpenDraft,
  entry: DraftEntry,
): Promise<SerializedBody> {
  checkReadable(open);
  const { type, entity, problems, changes } = open;
  const conflicts = changes && (await conflictsOf(request, type, changes));
  const draft = {
    ...shortcomingsOf(request, type, problems),
    ...(changes && { changes_entry: true, conflicts }),
  };
  const meta = { revision: revisionOfDraft(request.services, request.access, open), draft };
  const timed = await withFileTimes(request, entity, keyOfDraft(entry));
  // The id in the address is that of the draft, also if an entry has taken it since.
  const address = draftAddress(request, type, entry);
  return unfinishedDocument(request, type, { ...timed, id: entry.id }, address, meta);
}

/** The disputed fields in the entry as it was when the changes began, and as it is. */
async function conflictsOf(
  request: ApiRequest,
  type: ResourceType,
  { base, present, disputed }: NonNullable<OpenDraft['changes']>,
) {
  if (disputed.length === 0) return undefined;
  const valuesIn = async (entity: Entity) => {
    const { data } = parseSerialized(await unfinishedDocument(request, type, entity, '', {}));
    const { attributes = {}, relationships = {} } = data as Record<'attributes' | 'relationships', object>;
    const part = (values: object) =>
      Object.fromEntries(Object.entries(values).filter(([name]) => disputed.includes(name)));
    return { attributes: part(attributes), relationships: part(relationships) };
  };
  return { base: await valuesIn(base), present: await valuesIn(present) };
}

function draftAddress(request: ApiRequest, type: ResourceType, entry: DraftEntry): string {
  return addressOf(request, DRAFTS_SEGMENT, type.name, ...entry.id.split('/')) + languageQuery(entry);
}

function languageQuery({ translation }: DraftEntry): string {
  return translation === undefined ? '' : `?${new URLSearchParams({ [LANGUAGE_PARAMETER]: translation })}`;
}

function checkReader({ headers, actor }: ApiRequest): void {
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to see drafts.');
}

function checkChange(request: WriteRequest): void {
  const { method, target, services } = request;
  checkReader(request);
  checkMethod(method, methodsOf(target.route));
  if (request.language?.inQuery === false) throw new MethodNotAllowedError(method, READING_METHODS);
  parseQuery(target.query, 'individual', services.settings);
}

async function documentOf(request: WriteRequest) {
  return withFileUris(request.services, readDocument(await request.body('bodyBytes')));
}

/** Throws the same NotFoundError for a missing and for a hidden draft. */
async function findAddressed(request: ApiRequest): Promise<OpenDraft & { readonly entry: DraftEntry }> {
  const { services, language } = request;
  const { type, id } = addressedIn(request);
  const entry = type && (await findDraft(services.fileSources.content, type.name, id, language?.langcode));
  const draft = type && entry && (await visibleDraft(request, entry, type));
  if (entry === undefined || draft === undefined) throw new NotFoundError(MISSING);
  return { ...draft, entry };
}

function addressedIn({ services, target }: ApiRequest) {
  const [, typeName = '', ...id] = pathSegments(target.rest);
  return { type: services.store.types.get(typeName), id: id.join('/') };
}

const MISSING = 'There is no such draft, or you may not see it. It may be complete: look for the entry.';

async function visibleDraft(
  request: ApiRequest,
  entry: DraftEntry,
  type: ResourceType,
): Promise<OpenDraft | undefined> {
  const { services } = request;
  const draft = await openDraft(services, services.fileSources.content, entry, type);
  if (draft === undefined) return undefined;
  const { entity, stored } = draft;
  const mayRead = accessToDraft(writerOf(request), type, entity, entry, stored).reads;
  return mayRead ? draft : undefined;
}
