import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Roles } from '../../integration/core/access/role.ts';
import type { SchemaDefinition } from '../../integration/core/content/schema/schema.ts';
import type { ApiSettings } from '../../integration/core/read/settings.ts';
import { createMailer } from '../../integration/features/accounts/mail.ts';
import { openAdminApp } from '../../integration/features/admin/admin-app.ts';
import { adminPage } from '../../integration/features/admin/admin-page.ts';
import { createGitDriver } from '../../integration/features/git/driver.ts';
import type { GitInput } from '../../integration/features/git/options.ts';
import type { Markup } from '../../integration/features/markup/markup.ts';
import { decimal, defineSchema, image, reference, z } from '../../integration/schema.ts';
import { createHandler, type TestHandlerOptions } from '../support/handler.ts';
import { createMemoryDriver } from '../support/memory-driver.ts';
import type { TestRepository } from '../support/repository.ts';
import { createServices, type TestSite } from '../support/services.ts';
import { PASSWORD } from '../support/sign-in-site.ts';
import { createTestAuth, type TestAuth } from '../unit/accounts/test-auth.ts';
import { SESSION, sessionIn, withSessions } from './sessions.ts';

export interface WritableSite {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  readonly origin: string;
  /** The bytes of a content file; undefined if it does not exist. */
  readBytes(key: string): Promise<Uint8Array | undefined>;
  /** The text of a content file; empty if it does not exist. */
  read(key: string): Promise<string>;
  /** Writes a file directly, without the API. */
  write(key: string, file: string | Uint8Array): Promise<void>;
  /** Adds an account with the password of all test accounts. */
  addAccount(name: string, roles: readonly string[]): Promise<void>;
  /** Starts a session of an account. Returns its cookie. */
  signIn(name: string, password?: string): Promise<{ name: string; value: string; url: string }>;
}

/**
 * The explorer and the admin with content in memory, or in a repository to which each change is committed. `ada` is an
 * administrator, `eve` may only read. Replaces the site that was started before, which has the same address.
 */
export async function startWritableSite({
  readOnly = false,
  roles = {},
  content = CONTENT,
  repository,
  git = true,
  schema = SCHEMA,
  publicFiles,
  renderBody,
  languages,
  now,
  bin = true,
  brand,
  widgets = {},
  single,
  mail,
  hasFixedAccounts = false,
  markup,
}: {
  readonly readOnly?: boolean;
  readonly roles?: Roles;
  /** Files by key. */
  readonly content?: Readonly<Record<string, string | Uint8Array>>;
  /** Has the content instead. */
  readonly repository?: TestRepository;
  /** How changes are committed to the repository. */
  readonly git?: true | GitInput;
  readonly schema?: SchemaDefinition;
  readonly publicFiles?: TestSite['publicFiles'];
  readonly renderBody?: TestSite['renderBody'];
  readonly languages?: ApiSettings['languages'];
  /** The clock of publication. */
  readonly now?: () => number;
  /** Option `editing.bin`. */
  readonly bin?: boolean;
  readonly brand?: TestHandlerOptions['brand'];
  /** Modules of option `editing.widgets`, by the name of their element. */
  readonly widgets?: Readonly<Record<string, string>>;
  /** Option `editing.single`. */
  readonly single?: readonly string[];
  /** Sends mails to a server of SMTP at this URL. Default: they stay in memory. */
  readonly mail?: string;
  /** The accounts are in a variable, and cannot be changed. */
  readonly hasFixedAccounts?: boolean;
  /** What texts can contain beside Markdown. Default: nothing. */
  readonly markup?: Markup;
} = {}): Promise<WritableSite> {
  current = undefined;
  address ??= listen();
  const origin = await address;
  const auth = await openAccounts(origin, mail, hasFixedAccounts);
  const driver = repository ? createGitDriver(repository.content) : createMemoryDriver(content);
  const modules = new Map(Object.entries(widgets).map(([name, source]) => [`/${name}.js`, source]));
  const paths = Object.fromEntries(Object.keys(widgets).map((name) => [name, `/${name}.js`]));
  const services = await createServices(driver, schema, {
    ...(publicFiles && { publicFiles }),
    ...(renderBody && { renderBody }),
    ...(!readOnly && {
      writable: {
        options: { bin, widgets: paths, ...(repository && { git }) },
        ...(markup && { markup: async () => markup }),
      },
    }),
    ...(repository && { folder: repository.content }),
    ...(now && { now }),
    roles,
    settings: { signIn: true, explorer: true, admin: true, ...(languages && { languages }) },
  });
  const page = adminPage({ base: '', mode: 'server' });
  const answerApi = withSessions(
    createHandler(services, {
      auth,
      adminApp: openAdminApp,
      bin,
      widgets: paths,
      ...(brand && { brand }),
      ...(single && { single }),
    }),
  );
  current = (incoming, outgoing) => {
    if (incoming.url === '/jsonapi-explorer') {
      outgoing.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      outgoing.end(page);
      return;
    }
    const source = modules.get(incoming.url ?? '');
    if (source === undefined) answerApi(incoming, outgoing);
    else outgoing.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(source);
  };
  return {
    origin,
    async addAccount(name, roles) {
      await auth.accounts.add({ name, roles, password: PASSWORD });
    },
    async signIn(name, password = PASSWORD) {
      const response = await fetch(`${origin}/user/login?_format=json`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, pass: password }),
      });
      if (!response.ok) throw new Error(await response.text());
      return { name: SESSION, value: sessionIn(response.headers.get('set-cookie')) ?? '', url: origin };
    },
    readBytes: (key) => driver.read(key),
    read: async (key) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(await driver.read(key)),
    write: (key, file) => driver.write(key, typeof file === 'string' ? new TextEncoder().encode(file) : file),
  };
}

/** The accounts `ada`, an administrator, and `eve`, with an e-mail address if the site sends mail. */
async function openAccounts(origin: string, mail: string | undefined, isFixed: boolean): Promise<TestAuth> {
  const mailer =
    mail === undefined
      ? undefined
      : createMailer({
          option: { smtp: 'env:SMTP_URL', from: 'The site <site@example.com>' },
          environment: { SMTP_URL: mail },
          settings: { site: origin, base: '', trailingSlash: 'ignore' },
          warn: (message) => console.warn(message),
        });
  const auth = createTestAuth(undefined, undefined, undefined, undefined, { mailer });
  await auth.accounts.add({ name: 'ada', roles: ['administrator'], password: PASSWORD });
  await auth.accounts.add({
    name: 'eve',
    roles: [],
    password: PASSWORD,
    ...(mail && { mail: 'eve@example.com' }),
  });
  if (!isFixed) return auth;
  const fixed = JSON.stringify(await auth.file.read());
  return createTestAuth(undefined, undefined, undefined, undefined, { fixed });
}

/** All sites of a process use the same address, one after another, so that a browser caches their common files. */
let address: Promise<string> | undefined;
/** Answers for the site that was started last. */
let current: RequestListener | undefined;

async function listen(): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    if (current === undefined) outgoing.writeHead(404).end('Not found');
    else current(incoming, outgoing);
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_cover: image().nullish(),
    field_featured: z.boolean().nullish(),
    field_mood: z.enum(['calm', 'rough']).nullish(),
    field_moment: z.iso.datetime({ offset: true }).nullish(),
    field_place: z.object({ name: z.string(), depth: z.number() }).partial().nullish(),
    field_price: decimal().nullish(),
    field_rating: z.int().max(5).nullish().describe('From 1 to 5.'),
    field_source: reference(['person', 'tag']).nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_words: z.array(z.string().min(2)).default([]),
  },
  person: {},
  tag: {},
});

const CONTENT = {
  'article/moon.md':
    '---\ntitle: The moon # by heart\nfield_author: jane\nfield_tags: [sky]\nfield_words: [late, round]\nfield_rating: 3\n---\nRises *late*.\n',
  'person/jane.md': '---\ntitle: Jane Low\n---\n',
  'person/omar.md': '---\ntitle: Omar Reed\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
};
