import type { Members } from '../access/members.ts';
import type { ContentFeature, OpenedHandlers } from '../api/features.ts';
import type { Services } from '../api/services.ts';
import type { Diagnostic } from '../source/diagnostic.ts';
import type { EntityChange } from './content-changes.ts';
import type { RuntimeLog, Site } from './runtime.ts';

/**
 * A part of the product that a site can do without: a folder in `features/`, and a line in `features.ts`. Nothing else
 * imports it.
 */
export interface Feature extends ContentFeature {
  /** Names of the features that it cannot do without. */
  readonly needs?: readonly string[];
  /** Opens it in a runtime; undefined if the site does not use it. */
  open?(runtime: OpeningRuntime): Promise<OpenedFeature | undefined>;
}

/** What a feature knows when it is opened. */
export interface OpeningRuntime {
  readonly site: Site;
  readonly log: RuntimeLog;
  /** The services of the runtime. Throws until all features are open. */
  services(): Services;
}

/** A feature in a runtime. All methods are called after all features are open. */
export interface OpenedFeature extends OpenedHandlers {
  /** Who can change content. */
  readonly members?: Members;
  /** Problems of the content that only this feature sees. */
  problems?(): readonly Diagnostic[];
  /** Sentences about options that do not fit the content. */
  warnings?(): readonly string[];
  /** Receives each change of entities. Without observers, changes are not computed. */
  observe?(changes: readonly EntityChange[]): void;
  /** Says at a start what people have to do. `address` is that of the site, with its base. Never throws. */
  announce?(address: string, log: RuntimeLog): Promise<void>;
  close?(): Promise<void>;
}

/**
 * What a process has for features, by name. A feature declares what it takes:
 *
 * ```ts
 * declare module '../../runtime/feature.ts' {
 *   interface SiteParts {
 *     readonly adminApp?: OpenAdminApp;
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add members.
export interface SiteParts {}

/** Opens the features of a site. Throws an Error if one of them needs a feature that is missing. */
export async function openFeatures(
  site: Site,
  log: RuntimeLog,
  services: () => Services,
): Promise<readonly OpenedFeature[]> {
  const names = new Set(site.features.map(({ name }) => name));
  const opened: OpenedFeature[] = [];
  for (const { name, needs = [], open } of site.features) {
    const missing = needs.find((each) => !names.has(each));
    if (missing !== undefined) throw new Error(`The feature ${name} needs the feature ${missing}.`);
    const feature = await open?.({ site, log, services });
    if (feature !== undefined) opened.push(feature);
  }
  return opened;
}
