import type { Members } from '../access/members.ts';
import type { QueriedServices } from '../api/jsonapi/answer.ts';
import type { OpenedHandlers, Replica, Services } from '../api/request.ts';
import type { QueryObserver, RecordedPage } from '../builder/observe-queries.ts';
import type { FileSources } from '../content/file-catalog.ts';
import type { BodyFormats } from '../content/markdown-text.ts';
import type { Entity } from '../content/model.ts';
import type { ParsedFile } from '../content/parse-file.ts';
import type { OptionOwner, Options } from '../options/options.ts';
import type { FindDraft, FindRedirect } from '../read/reader.ts';
import type { ApiSettings, ServedSite, SiteIdentity } from '../read/settings.ts';
import type { Handler, HandlerSettings } from '../server/handler.ts';
import type { Diagnostic, Paint } from '../source/diagnostic.ts';
import type { DataFormat } from '../source/formats.ts';
import type { FileCache } from '../storage/cache/file-cache.ts';
import type { FollowedBranch, StorageDriver } from '../storage/driver.ts';
import type { CarriedFolder, FileSource } from '../storage/file-source.ts';
import type { ChangeRecorder, RecorderDeps } from '../write/commits.ts';
import type { CommitMessages } from '../write/describe-commits.ts';
import type { ContentChecks, FollowChange, WriterDeps } from '../write/writer.ts';
import type { Command, CommandGroup } from './command.ts';
import type { EntityChange } from './content-changes.ts';
import type { LocalMode } from './local-mode.ts';
import type { Runtime, RuntimeLog, ServedRuntime } from './runtime.ts';
import type { SharedState } from './shared-state.ts';

export type { RuntimeLog } from './runtime.ts';

/** Settings of a site: plain data, which a build can write into the server. */
export interface SiteSettings extends ServedSite, HandlerSettings {
  /** Absolute path of the project, which identifies the runtime within a process. */
  readonly root: string;
  /** Absolute path of the content folder. */
  readonly contentDir: string;
  /** Absolute paths of `public/` and of the build output. Servers may have neither. */
  readonly publicDir?: string;
  readonly outDir?: string;
  readonly admin: boolean;
  readonly signIn: boolean;
  /** True if requests cannot change content. */
  readonly readOnly: boolean;
  /** Name of the session cookie; null if the site has no sessions. */
  readonly sessionCookie: string | null;
  /** True if the site lists its domains, so that a proxy may say which one was requested. */
  readonly trustsProxy: boolean;
  readonly trailingSlash: ApiSettings['trailingSlash'];
  /** BCP 47 tag. */
  readonly locale: string;
  /** Astro's option `image.service`, if the site resizes images. */
  readonly imageService?: { readonly entrypoint: string; readonly config: Readonly<Record<string, unknown>> };
  /** True in `astro dev`. */
  readonly dev: boolean;
  /** Digest of the settings that change documents without a change of the content. */
  readonly form: string;
  /** From the site's package.json. */
  readonly identity?: SiteIdentity;
  /** Astro's `site`. */
  readonly site?: string | undefined;
}

/** Imports a module of the project by its name, or by its path from the root. */
export type ImportModule = (name: string) => Promise<{ readonly default?: unknown }>;

/** A path on the command line, relative to the working directory. */
export interface PathFlag {
  readonly written: string;
  readonly cwd: string;
}

/** The files that a runtime reads. */
export interface ContentSource {
  readonly driver: StorageDriver;
  /** Absolute path of the driver's folder, on a server that may commit changes there. */
  readonly folder?: string | undefined;
  /** The folder `public/`. */
  readonly publicFiles?: StorageDriver | undefined;
  /** The files that fields can name. Default: those in `driver` and `publicFiles`. */
  readonly files?: Partial<FileSources>;
  /** Images of the project outside of the content folder. Default: none. */
  readonly outsideImages?: FileSource | undefined;
  /** Default export of the schema module; undefined without a schema. */
  readonly schema: unknown;
  /** Parsed files from earlier starts. */
  readonly cache?: FileCache<ParsedFile> | undefined;
  /** The full-text index that a build wrote; an empty string for none. Loaded at the first search. */
  readonly carriedFullText?: () => Promise<string>;
}

/** The place of a site's content. */
export interface ContentPlace {
  readonly options: Options;
  /** Absolute path of the content folder; undefined on servers without one. */
  readonly folder: string | undefined;
  /** The content of a build, and the files that it names, in a server without a folder. */
  carried?(): Promise<{ readonly driver: StorageDriver; readonly files: CarriedFolder }>;
  /** The path of a file by its name, which stays between starts. */
  readonly cacheFile?: ((name: string) => string | undefined) | undefined;
  /** Files of other versions in the cache are ignored. */
  readonly version: string;
  readonly environment?: Site['environment'];
  readonly log: RuntimeLog;
}

export interface OpenedStorage {
  readonly driver: StorageDriver;
  /** Default: those of the driver. */
  readonly files?: FileSource;
}

/** The site that a runtime serves, and how the process uses it. */
export interface Site extends SiteParts {
  readonly features: readonly Feature[];
  readonly options: Options;
  readonly settings: SiteSettings;
  readonly renderBody: (entity: Entity) => Promise<string>;
  /** Checks of content from accounts. Default: they run in this process. */
  readonly checks?: ContentChecks | undefined;
  /** A body that cannot be rendered rejects (the default), or is served as text. */
  readonly bodyErrors?: 'reject' | 'text';
  readonly log: RuntimeLog;
  /** Colors of problems, which are then shown with their lines of source. */
  readonly paint?: Paint;
  /** Makes the runtime watch the content. Called after each change. */
  readonly onChange?: (() => void) | undefined;
  /** Resolves when there is time to start watching and to write caches. Default: at once. */
  readonly idle?: () => Promise<void>;
  /** Called around every query of the site's own code. */
  readonly observe?: QueryObserver;
  /** The pages of a build, and those that this process has rendered. */
  readonly recordedPages?: () => Promise<readonly RecordedPage[]>;
  /** Called after each change through the API, if changes are not committed to git. */
  readonly onWritten?: WriterDeps['onWritten'];
  /** Called with each change of entities, wherever it comes from. */
  readonly onEntities?: (changes: readonly EntityChange[]) => void;
  /** The variables that options name, on a server. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The person at the keyboard. Set on a dev server. */
  readonly localMode?: LocalMode | undefined;
  /** Flag `--accounts` of the command line. */
  readonly accountsFlag?: PathFlag | undefined;
  /** Milliseconds since the Unix epoch. Default: the clock of the system. */
  readonly now?: () => number;
}

/**
 * A part of the product that a site can do without: a folder in `features/`, and a line in `features.ts`. Nothing else
 * imports it.
 */
export interface Feature extends OptionOwner {
  readonly formats?: readonly DataFormat[];
  readonly bodyFormats?: BodyFormats;
  /** What the API of a site gets from its options. */
  settings?(options: Options, site: SiteKind): Partial<ApiSettings>;
  /** Names of the features that it cannot do without. */
  readonly needs?: readonly string[];
  /** Keys of files that a built server without the content folder carries. */
  readonly carries?: readonly string[];
  /** True if these options name a place beside the project's folder where the site stores its content. */
  storesContent?(options: Options): boolean;
  /** Opens the content; undefined if another feature does, or the core. */
  storage?(place: ContentPlace): Promise<OpenedStorage | undefined>;
  /** Shows files of the content in another way, such as the entries of one file as files. */
  view?<D extends StorageDriver>(driver: D): D;
  /** Adds facts about files of the content. */
  facts?(files: FileSource): FileSource;
  /** Opens the database that an option names for what servers share; undefined without that option. */
  openShared?(site: SharingSite): Promise<SharedState | undefined>;
  /** Opens a built server in place of `openSite`; undefined if the site does not use this feature. */
  engine?(server: OpeningServer): Promise<ServedRuntime | undefined>;
  /** Opens it in a runtime; undefined if the site does not use it. */
  open?(runtime: OpeningRuntime): Promise<OpenedFeature | undefined>;
  /** Loads what only builds, `astro dev` and the command line use. Built servers do not contain it. */
  tooling?(): Promise<FeatureTooling>;
}

/** A site, or a command for it. */
export type SharingSite = Pick<Site, 'options' | 'environment' | 'features' | 'log'> & Partial<Site>;

/** A built server that is starting. */
export interface OpeningServer {
  readonly site: Site;
  /** Absolute path of the content folder; undefined for a server without one. */
  readonly folder: string | undefined;
  /** The content with its files. */
  source(): Promise<ContentSource>;
  /** The files only, for a server whose entities come from elsewhere. */
  filesOnly(): Promise<ContentSource>;
  /** Loads the content into memory, once. */
  load(): Promise<Runtime>;
}

/** The part of a feature that is not in built servers. */
export interface FeatureTooling {
  readonly commands?: readonly (Command | CommandGroup)[];
  /** Sentences about options that `check` reports as errors. */
  checks?(site: CheckedSite, services: Services): Promise<readonly string[]>;
  /** What `check` lists without being a problem. */
  notes?(services: Services): Promise<readonly Diagnostic[]>;
  /** The module of the session driver that stores sessions in files. */
  readonly sessionFiles?: URL;
  /** What the feature takes from a process with the files of this package. */
  parts?(
    settings: Pick<SiteSettings, 'base' | 'prefix' | 'imageService'>,
    importModule: ImportModule,
  ): SiteParts;
  /** Absolute paths of files that `astro dev` does not serve. Throws an Error if the site would publish one. */
  unserved?(settings: SiteSettings, options: Options): readonly string[];
  /** Options that differ in a build, which contains no secrets. */
  builtOptions?(options: Options): Partial<Options>;
  /** Virtual modules by name. */
  modules?(project: AstroProject): VirtualModules;
  /** By name of a part: the virtual module whose default export a built server loads when it calls the part. */
  serverParts?(project: AstroProject): Readonly<Partial<Record<keyof SiteParts, string>>>;
  /** Writes files of a site without a server into the folder of its build. */
  write?(project: AstroProject, dir: string, log: RuntimeLog): Promise<void>;
  /** Serves requests of `astro dev` for a site without a server. */
  answer?(project: AstroProject, runtime: Pick<Runtime, 'services' | 'handle'>, log: RuntimeLog): Handler;
}

export type CheckedSite = Pick<SiteSettings, 'root' | 'contentDir' | 'publicDir' | 'outDir'> & {
  readonly options: Options;
};

/** An Astro project in a build or in `astro dev`. */
export interface AstroProject {
  readonly options: Options;
  settings(): SiteSettings;
  runtime(): Promise<Runtime>;
  /** The kind of the site's server; undefined for a site without one. */
  server(): 'node' | 'worker' | undefined;
  rendersMdx(): boolean;
  importModule: ImportModule;
  /** True if the project can import a package. */
  canImport(name: string): boolean;
}

/** An import of a virtual module. */
export interface ModuleRequest {
  /** `client`, `ssr`, `prerender` or `astro`. */
  readonly environment: string;
  readonly command: 'serve' | 'build';
  /** The rest of the path after a name that ends in a slash. */
  readonly below: string;
  /** The first module that imports this one in the environment, as Vite names it. */
  readonly importer: string | undefined;
  /** Makes a build write another module as a file that Node can start. Returns an expression for its URL. */
  emit(module: string): string;
}

/** Source text with metadata for other plugins. */
export interface ModuleWithMeta {
  readonly code: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Generates the source text of a module. */
export type ModuleSource = (
  request: ModuleRequest,
) => string | Promise<string> | ModuleWithMeta | Promise<ModuleWithMeta>;

/** Virtual modules by name. A name that ends in a slash stands for all modules below it. */
export type VirtualModules = Readonly<Record<string, ModuleSource>>;

export interface SiteKind {
  /** True in `astro dev`, and in the server of the command line. */
  readonly dev: boolean;
  /** True if Astro has an adapter. */
  readonly hasServer: boolean;
}

/** What a feature knows when it is opened. */
export interface OpeningRuntime {
  readonly site: Site;
  readonly log: RuntimeLog;
  /** Of the runtime. Both throw until all features are open. */
  services(): Services;
  members(): Members;
}

/** What a replica needs of the content that follows a branch. */
export interface ReplicaDeps {
  readonly followed: FollowedBranch;
  /** Updates the content with the files of these keys, without their commit dates. */
  apply(keys: readonly string[]): Promise<unknown>;
  /** Updates the commit dates of the content. */
  readDates(): Promise<unknown>;
  readonly log: Pick<RuntimeLog, 'info' | 'warn'>;
}

export interface BranchReplica extends Replica {
  /** Has to be called when the content changes. */
  contentChanged(): void;
}

/** A feature in a runtime. All methods are called after all features are open. */
export interface OpenedFeature extends OpenedHandlers {
  /** The accounts that can change content. */
  readonly members?: Members;
  /** Problems of the content that only this feature sees. */
  problems?(): readonly Diagnostic[];
  /** Sentences about options that do not fit the content. */
  warnings?(): readonly string[];
  /** Templates of the messages of commits. */
  readonly commitMessages?: CommitMessages | undefined;
  /** Opens what records changes of the content; undefined if it does not. Rejects with the reason if it cannot. */
  recordChanges?(deps: RecorderDeps): Promise<ChangeRecorder | undefined>;
  readonly follow?: FollowChange;
  readonly findRedirect?: FindRedirect;
  readonly findDraft?: FindDraft;
  /** The content that pages show in the current request, in place of the site's: for a query, or for a collection of Astro. */
  shown?(collection?: string): QueriedServices | undefined;
  /** Knows the commit of the content that a driver or a recorder follows. */
  createReplica?(deps: ReplicaDeps): BranchReplica;
  /** Receives each change of entities. Without observers, changes are not computed. */
  observe?(changes: readonly EntityChange[]): void;
  /** Says at a start what people have to do. `address` is that of the site, with its base. Never throws. */
  announce?(address: string, log: RuntimeLog): Promise<void>;
  close?(): Promise<void>;
}

/**
 * Parts of a process for features, by name. A feature declares its parts:
 *
 * ```ts
 * declare module '../../core/runtime/site.ts' {
 *   interface SiteParts {
 *     readonly adminApp?: OpenAdminApp;
 *   }
 * }
 * ```
 */
export interface SiteParts {
  /** The page of the query explorer. */
  readonly explorerPage?: () => Promise<string>;
}
