import { z } from 'zod';
import {
  type Environment,
  optionValue,
  VARIABLE,
  variableIn,
  wholeNumber,
} from '../../core/options/fields.ts';
import type { EditingFields, OptionFields, Options } from '../../core/options/options.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /** What answers queries on a built server. See `astro-jsonapi/postgres`. Default: an index in memory. */
    readonly engine?: EngineOptions | undefined;
  }
  interface Options {
    engine?: Engine | undefined;
  }
  interface EditingOptions {
    /** The database of the accounts, which several servers share. See `astro-jsonapi/postgres`. Default: the accounts file. */
    readonly accountStore?: EngineOptions | undefined;
  }
  interface Editing {
    accountStore?: Engine | undefined;
  }
}

export interface EngineOptions {
  /** The database. */
  readonly name: 'postgres';
  /**
   * Address of the database, or `env:` and the name of an environment variable. A build does not contain an address: its
   * server reads `DATABASE_URL`. Default: `'env:DATABASE_URL'`.
   */
  readonly url?: string | undefined;
  /**
   * Address at which a server listens for changes, if that of `url` is a pooler such as PgBouncer; or `env:` and the name of
   * an environment variable. A build does not contain an address: its server reads `DATABASE_LISTEN_URL`. Default: `url`.
   */
  readonly listenUrl?: string | undefined;
  /** The schema of the tables in the database. Default: `'astro_jsonapi'`. */
  readonly schema?: string | undefined;
  /**
   * Seconds in which a server notices changes, although a connection has gone silent. After that, the health route returns
   * 503. Default: 10.
   */
  readonly maxAge?: number | undefined;
}

const DATABASE_URL = /^postgres(?:ql)?:\/\//;
const DATABASE_VARIABLE = 'env:DATABASE_URL';
const LISTEN_VARIABLE = 'env:DATABASE_LISTEN_URL';

const databaseAddress = (variable: string) =>
  z
    .string()
    // A variable of the environment that is set to nothing.
    .transform((url) => (url === '' ? variable : url))
    .refine((url) => VARIABLE.test(url) || DATABASE_URL.test(url))
    .meta({
      description: `an address such as 'postgres://localhost/site', or a variable such as '${variable}'`,
      secret: true,
    });

export const engineSchema = z
  .strictObject({
    name: z.literal('postgres'),
    url: databaseAddress(DATABASE_VARIABLE).default(DATABASE_VARIABLE),
    listenUrl: databaseAddress(LISTEN_VARIABLE).optional(),
    schema: z
      .string()
      .regex(/^(?!pg_|public$|information_schema$)[a-z_][a-z0-9_]{0,30}$/)
      .describe(
        'up to 31 lower-case letters, digits and underscores, but not public, information_schema, or a name that starts with pg_',
      )
      .default('astro_jsonapi'),
    maxAge: wholeNumber(1, 3600).default(10),
  })
  .describe('an engine, such as postgres({ url: process.env.DATABASE_URL })');

const DATABASE = 'a database, such as postgres({ url: process.env.DATABASE_URL })';

/** Option `engine` without addresses, which may have a password. */
export function withoutAddress(engine: Engine): Engine {
  const hidden = (url: string, variable: string) => (VARIABLE.test(url) ? url : variable);
  return {
    ...engine,
    url: hidden(engine.url, DATABASE_VARIABLE),
    ...(engine.listenUrl !== undefined && { listenUrl: hidden(engine.listenUrl, LISTEN_VARIABLE) }),
  };
}

/** The address of the database, or that to listen at. Throws if its variable is not set. */
export function databaseUrl(option: string, url: string, environment: Environment): string {
  const name = variableIn(url);
  if (name === undefined) return url;
  const value = optionValue(url, environment) ?? '';
  if (DATABASE_URL.test(value)) return value;
  const fault = value === '' ? 'is not set' : 'is not an address of PostgreSQL';
  throw new Error(
    `Option ${option} reads the address of the database from the environment variable ${name}, which ${fault}. Set it to an address such as postgres://user:password@localhost/site.`,
  );
}

/** Option `engine` if it is set. */
export type Engine = z.output<typeof engineSchema>;

export const POSTGRES_OPTIONS = {
  engine: engineSchema.optional(),
  editing: { accountStore: engineSchema.describe(DATABASE).optional() },
} satisfies OptionFields<'engine'> & { editing: EditingFields<'accountStore'> };

/** Option `editing.accountStore`; undefined without it. */
export function accountStoreOption({ editing }: Pick<Options, 'editing'>): Engine | undefined {
  return editing === false ? undefined : editing.accountStore;
}
