/** Recorded requests with a deliberate difference, for one reason. */
export interface Difference {
  /** What differs: two statuses, or the members of the document. */
  readonly kinds: readonly string[];
  /** Ids of requests. */
  readonly reads: string;
}

/** By the anchor in `docs/differences-from-drupal.md` that states the reason. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'served-language': {
    kinds: ['data', 'data, meta', 'data, included'],
    reads: `r-media-list-sort-name r-media-list-sort-name-es r-f-tag-name-en-on-es r-f-title-es-on-en r-f-langcode-es
      r-f-default-langcode r-s-title r-s-title-es r-s-cat r-term-list-sort r-term-list-weight r-cat-list-es r-x-alt-es-on-en
      r-x-media-name-es-on-en r-x-sort-lang-title-es r-x-f-uid-id-es-owner-admin r-x-es-sort-title r-x-sort-title-desc-es
      r-x-s-null-media r-x-list-latest`,
  },
  'ties-by-id': {
    kinds: ['data', 'data, included'],
    reads: `r-sparse-user-display r-sparse-user-name-only r-media-types r-user-list-editor r-user-list-reporter
      r-e-sort-include r-x-user-reporter r-x-user-author r-user-list-nobasic`,
  },
  'full-pages': {
    kinds: ['meta', 'data, meta'],
    reads: `r-vocab r-languages r-x-es-list-anonymous r-x-menu-links-anonymous r-x-list-reporter r-x-list-author
      r-x-es-list-author r-x-list-anonymous-nobasic r-x-tags-anonymous r-x-media-reporter r-x-page-omitted-2
      r-x-alias-enonly r-x-alias-enonly-es`,
  },
  unseen: {
    kinds: ['401 → 404', '403 → 404'],
    reads: `r-x-media-unpub-reporter r-x-term-unpub-reporter r-x-term-unpub-author r-x-file-private-editor
      r-x-file-private-admin r-x-block-inline r-x-block-unpub r-x-draft-author-anonymous r-x-draft-author-anonymous-nobasic
      r-x-file-private-anonymous-nobasic r-x-term-unpub-anonymous-nobasic r-x-menu-one-nobasic`,
  },
  'hidden-fields': {
    kinds: ['200 → 400', '401 → 400', '403 → 400', '401 → 404', '403 → 404'],
    reads: `r-list-recipe-user-roles r-list-recipe-user-picture r-user-list-roles-anon r-user-by-name r-user-sort-name
      r-f-uid-internal r-f-uid-name-contains r-x-user-inc-picture r-x-node-inc-user-picture r-x-f-user-name-anonymous
      r-x-f-user-name-reporter r-x-f-user-name-author r-x-f-user-name-editor r-user-by-pass-admin r-user-by-mail-nobasic
      r-user-sort-mail-nobasic r-user-status-nobasic r-f-uid-mail-nobasic r-f-uid-status-nobasic r-s-mail-nobasic
      r-user-sort-mail r-user-status r-f-uid-mail r-f-uid-status r-f-uid-roles-anon r-user-roles r-user-rel-roles
      r-user-picture r-user-picture-nobasic`,
  },
  'same-fields': {
    kinds: ['data'],
    reads: `r-user-anon-admin r-user-self-editor r-user-self-reporter r-x-draft-author-author r-x-half-es-author`,
  },
  'owner-paths': {
    kinds: ['data', 'data, included', 'data, meta'],
    reads: `r-user-status-admin r-f-uid-id-other r-f-uid-id-es-prefix r-f-uid-in r-x-uid-id-editor r-x-uid-blocked-name
      r-x-media-uid-name r-x-f-uid-name-es-owner-admin r-x-f-uid-name-case r-x-blockeduser-es`,
  },
  'target-ids': {
    kinds: ['data', 'data, links', 'data, meta'],
    reads: `r-f-revuid r-f-type r-f-tag-vid r-mf-tid r-mf-bundle r-mf-uid r-x-uid-0 r-x-s-uid-id-anon`,
  },
  'file-resources': {
    kinds: ['data', '200 → 400', '200 → 404'],
    reads: `r-sparse-file-uri r-sparse-file-uri-url r-sparse-file-filename r-file-list r-file-list-limit r-file-list-author
      r-page-file-50 r-x-file-status0-anon r-x-f-file-secret-anonymous r-x-f-file-secret-author r-x-f-file-secret-editor
      r-file-list-limit-nobasic r-ff-uri r-x-file-anonymous r-x-file-reporter r-x-file-author r-x-file-editor r-x-filex-jpg
      r-x-filex-png r-x-filex-txt r-x-file-inc-uid r-x-null-file-uid r-x-file-uid-tid r-file-rel-uid r-x-file-temp-reporter
      r-x-file-unpub-media-reporter r-x-file-private-author r-x-file-temp-admin r-x-filex-jpg-uid r-x-filex-jpg-rel-uid
      r-x-filex-txt-uid`,
  },
  'image-titles': { kinds: ['200 → 400'], reads: `r-x-alt-null r-x-media-desc-doc` },
  'missing-files': {
    kinds: ['data', 'included'],
    reads: `r-x-media-admin r-x-nofile-related-field_media_image r-x-media-nofile-es r-x-s-media-alt r-x-nofile r-x-nofile-es
      r-x-nofile-admin`,
  },
  'filtered-drafts': {
    kinds: ['data'],
    reads: `r-x-status0-editor r-x-f-title-draft-editor r-x-f-media-draft-editor r-x-f-term-hidden-editor`,
  },
  'visible-paths': {
    kinds: ['data'],
    reads: `r-x-tag-hidden r-x-null-media r-x-notnull-media-tid r-x-f-tag-unpublished-author`,
  },
  versions: { kinds: ['200 → 404'], reads: 'r-one-1-rv-1-admin' },
  'version-access': { kinds: ['200 → 401', '501 → 401'], reads: 'r-one-1-rv-id r-user-rv' },
  'pending-drafts': {
    kinds: ['data', '403 → 200', '401 → 200', '501 → 200', 'data, meta'],
    reads: `r-x-pending-img-working r-x-pending-working-author r-x-pending-working-anonymous-nobasic
      r-x-pending-working-anonymous r-x-pending-by-working-list r-x-list-working-copy-anon`,
  },
  'alias-rows': {
    kinds: ['200 → 404'],
    reads: `r-aliases r-aliases-admin r-alias-filter-admin r-alias-filter-anon r-page-over-50-2 r-page-over-50-3`,
  },
  'entry-point': {
    kinds: ['links'],
    reads: 'r-en-entry r-es-entry r-entry-slash r-entry-admin r-entry-editor',
  },
  'no-faults': { kinds: ['500 → 200'], reads: 'r-f-file-url r-f-moderation r-s-alias r-ff-url' },
  'wrong-bundle': { kinds: ['200 → 404'], reads: 'r-one-1-wrong-bundle' },
  'canonical-self': { kinds: ['links'], reads: 'r-list-slash' },
  'relationship-includes': { kinds: ['included'], reads: 'r-rel-1-image-inc r-rel-1-image-inc-short' },
  'everything-at-once': { kinds: ['400 → 200'], reads: 'r-page-0' },
  'named-errors': { kinds: ['200 → 400'], reads: 'r-page-neg' },
  'configuration-ids': { kinds: ['400 → 200'], reads: 'r-user-roles-filter-id' },
};
