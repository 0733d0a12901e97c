/** Public entry `astro-jsonapi/edit`: marks of fields in previews. */

/** Set by the feature `preview`: true while a page is rendered for a preview. */
const PREVIEWS = Symbol.for('astro-jsonapi:previews');

/** An entity as queries return it. */
interface MarkedEntity {
  readonly type: string;
  readonly id: string;
}

/**
 * Attributes of an element that shows a field of an entity. In the preview of the admin, a click on the element leads to the
 * field. Everywhere else there are none:
 *
 * ```astro
 * <h1 {...edit(post, 'title')}>{post.title}</h1>
 * ```
 */
export function edit({ type, id }: MarkedEntity, field: string): { readonly 'data-jsonapi-edit'?: string } {
  const previews = globalThis as { [PREVIEWS]?: () => boolean };
  return previews[PREVIEWS]?.() === true ? { 'data-jsonapi-edit': `${type} ${id} ${field}` } : {};
}
