import { z } from 'zod';
import { addressOf, type ChangeRequest, type WriteResponse } from '../../core/api/request.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { findEntity, findType } from '../../core/read/find.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { InvalidEntityError } from '../../core/util/errors.ts';
import { isRecord, parseAs } from '../../core/util/json.ts';
import { readJson } from '../../core/write/request-json.ts';
import { foldName } from './account.ts';
import { type AccountsRequest, signedIn } from './accounts-api.ts';

/** Seconds after its last report in which an editor is present. */
const PRESENT_SECONDS = 45;
/** Editors of one entry. */
const MAX_EDITORS = 50;
/** A day, in seconds. */
const MAX_IDLE = 86_400;

/** By folded name of the account. Times in milliseconds. */
const editorsSchema = z.record(
  z.string(),
  z.strictObject({ name: z.string(), seen: z.number(), active: z.number() }),
);

type Editors = Readonly<z.output<typeof editorsSchema>>;

const reportSchema = z.strictObject({
  /** Seconds since the person last did something; null when the form is closed. */
  idle: z.int().min(0).max(MAX_IDLE).nullable(),
});

/** `GET /jsonapi/_presence/node/article/moon`: the other accounts that have an entry open. */
export async function showPresence(request: AccountsRequest): Promise<SerializedBody> {
  const { key, accounts } = await place(request);
  return document(request, parsed((await accounts.shared.read(key))?.text));
}

/** `POST` of `{ "idle": 0 }` there: the account has the entry open. The response lists the others. */
export async function reportPresence(request: AccountsRequest & ChangeRequest): Promise<WriteResponse> {
  const { key, accounts } = await place(request);
  const sent = readJson(await request.body('bodyBytes'));
  const { data: report } = reportSchema.safeParse(sent);
  if (report === undefined) {
    const detail = `Send { "idle": seconds }, up to ${MAX_IDLE}, or { "idle": null } when the form is closed.`;
    throw new InvalidEntityError([{ detail, source: { pointer: isRecord(sent) ? '/idle' : '' } }]);
  }
  const name = request.actor.name ?? '';
  const now = request.services.clock.now();
  const editors = await accounts.shared.change([key], ([text]) => {
    const { [foldName(name)]: _, ...others } = present(parsed(text), now);
    const own =
      report.idle === null ? {} : { [foldName(name)]: { name, seen: now, active: now - report.idle * 1000 } };
    const all = Object.fromEntries(Object.entries({ ...others, ...own }).slice(-MAX_EDITORS));
    const value = { text: JSON.stringify(all), seconds: PRESENT_SECONDS };
    return { values: [Object.keys(all).length === 0 ? undefined : value], result: all };
  });
  return { outcome: 'changed', written: await document(request, editors) };
}

/** The places of the editors of an entry. Throws like a request for the entry, which the account must be able to see. */
async function place(request: AccountsRequest) {
  const accounts = signedIn(request);
  const { services, access, target } = request;
  const [, entityType = '', bundle = '', ...id] = pathSegments(target.rest);
  const type = findType(services.store, entityType, bundle);
  const entity = await findEntity(services, access, type, id);
  return { accounts, key: `presence/${type.name}/${entity.id}` };
}

async function document(request: AccountsRequest, editors: Editors): Promise<SerializedBody> {
  const { store } = signedIn(request);
  const now = request.services.clock.now();
  const own = foldName(request.actor.name ?? '');
  const others = Object.entries(present(editors, now)).filter(([name]) => name !== own);
  const data = await Promise.all(
    others.map(async ([, { name, active }]) => ({
      type: 'presence',
      id: name,
      attributes: {
        displayName: (await store.find(name))?.displayName ?? null,
        idle: Math.max(0, Math.round((now - active) / 1000)),
      },
    })),
  );
  const [...segments] = pathSegments(request.target.rest);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data,
    meta: { count: data.length },
    links: { self: { href: addressOf(request, ...segments) } },
  });
}

function present(editors: Editors, now: number): Editors {
  return Object.fromEntries(
    Object.entries(editors).filter(([, { seen }]) => seen + PRESENT_SECONDS * 1000 > now),
  );
}

function parsed(text: string | undefined): Editors {
  return (text !== undefined && parseAs(editorsSchema, text)) || {};
}
