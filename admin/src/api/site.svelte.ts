import type { ExplorerSchema } from '../../../integration/features/admin/explorer.ts';
import { text, uiLanguage } from '../texts/texts.ts';
import { account } from './account.svelte.ts';
import { HAS_BIN, HAS_REDIRECTS, SCHEMA_URL } from './config.ts';
import { RequestError } from './content.ts';
import { isSuccess, sendOnce } from './request.ts';
import { type Bundle, bundleNamed, type Part, readSchema, type Schema } from './schema.ts';

/** The bundles, fields and languages of the site, as the account sees them. */
class Site {
  #schema = $state.raw<Schema>();

  /** Throws RequestError. */
  async load(): Promise<void> {
    const response = await sendOnce(SCHEMA_URL);
    if (!isSuccess(response)) throw new RequestError(response);
    const schema = readSchema(response.document as ExplorerSchema, uiLanguage());
    const types = schema.types.toSorted((one, other) => Number(isNode(other)) - Number(isNode(one)));
    this.#schema = { ...schema, types };
  }

  /** Screens are only shown when it is loaded. */
  get schema(): Schema {
    if (this.#schema === undefined) throw new Error('The schema is not loaded.');
    return this.#schema;
  }

  /** True if the account can find deleted entries in a bin. */
  get hasBin(): boolean {
    return HAS_BIN && account.deletesContent;
  }

  /** True if the account can list the redirects of the site. */
  get hasRedirects(): boolean {
    return HAS_REDIRECTS && account.changesAllContent;
  }

  /** The bundle of a resource type such as `node--article`. */
  bundle(type: string): Bundle | undefined {
    return bundleNamed(this.schema, type);
  }
}

export const site = new Site();

function isNode({ entityType }: Pick<Bundle, 'entityType'>): boolean {
  return entityType === 'node';
}

/** A name for people: `Article` for `node--article`, and `Tags (taxonomy term)` for `taxonomy_term--tags`. */
export function bundleLabel(type: string): string {
  const [entityType = '', bundle = ''] = type.split('--');
  const label = labelOf(bundle);
  if (entityType === 'node') return label;
  if (entityType === 'menu_link_content') return text('nav.menuOf', { name: label });
  return `${label} (${labelOf(entityType).toLowerCase()})`;
}

/** A name for people: `Place` for `field_place` and `Article` for `article`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/^field_/, '')
    .replace(/[_-]+/g, ' ')
    .trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The name of a property for people. */
export function partLabel({ name, label }: Pick<Part, 'name' | 'label'>): string {
  return label ?? labelOf(name);
}
