import { RequestError, readResource } from './content.ts';
import { type JsonObject, objectOf } from './document.ts';

/** A component that MDX can import. */
export interface SiteComponent {
  readonly name: string;
  /** The module that exports it, such as `/src/components/Chart.astro`. */
  readonly from: string;
  /** True if the module exports it by its name, false if as its default. */
  readonly named: boolean;
  readonly props: readonly ComponentProp[];
  /** True if it shows the text between its tags. */
  readonly content: boolean;
}

export interface ComponentProp {
  readonly name: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'choice' | 'code';
  readonly choices?: readonly (string | number)[];
  readonly required?: true;
  readonly description?: string;
}

export interface Callouts {
  readonly syntax: 'directive' | 'alert';
  readonly kinds: readonly string[];
}

export interface Markup {
  /** None for accounts that may not write MDX. */
  readonly components: readonly SiteComponent[];
  /** By resource type. */
  readonly callouts: Readonly<Record<string, Callouts>>;
}

let reading: Promise<Markup> | undefined;

/** What texts of the site can contain beside Markdown. Read once. Throws RequestError. */
export function readMarkup(): Promise<Markup> {
  reading ??= read().catch((error: unknown) => {
    reading = undefined;
    throw error;
  });
  return reading;
}

async function read(): Promise<Markup> {
  try {
    return markupOf((await readResource('/_markup')).attributes);
  } catch (error) {
    // A package without this feature has no such address.
    if (error instanceof RequestError && error.status === 404) return { components: [], callouts: {} };
    throw error;
  }
}

/** The server has the same types. */
function markupOf({ components, callouts }: JsonObject): Markup {
  return {
    components: Array.isArray(components) ? (components as unknown as readonly SiteComponent[]) : [],
    callouts: objectOf(callouts) as Markup['callouts'],
  };
}
