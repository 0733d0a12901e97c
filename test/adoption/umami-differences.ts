/** Recorded requests with a deliberate difference, for one reason. */
export interface Difference {
  /** What differs: two statuses, or the members of the document. */
  readonly kinds: readonly string[];
  /** Ids of recorded reads and writes. */
  readonly requests: string;
}

/** By the anchor in `docs/differences-from-drupal.md` that states the reason. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'served-language': {
    kinds: ['data', 'data, meta', 'data, included'],
    requests: `r-media-list-sort-name r-media-list-sort-name-es r-f-tag-name-en-on-es r-f-title-es-on-en r-f-langcode-es
      r-f-default-langcode r-s-title r-s-title-es r-s-cat r-term-list-sort r-term-list-weight r-cat-list-es r-x-alt-es-on-en
      r-x-media-name-es-on-en r-x-sort-lang-title-es r-x-f-uid-id-es-owner-admin r-x-es-sort-title r-x-sort-title-desc-es
      r-x-s-null-media r-x-list-latest r-x-f-uid-name-es-owner-admin`,
  },
  'ties-by-id': {
    kinds: ['data', 'data, included'],
    requests: `r-sparse-user-display r-sparse-user-name-only r-media-types r-user-list-editor r-user-list-reporter
      r-e-sort-include r-x-user-reporter r-x-user-author r-user-list-nobasic`,
  },
  'full-pages': {
    kinds: ['meta', 'data, meta', 'links, meta'],
    requests: `r-aliases r-vocab r-languages r-x-es-list-anonymous r-x-menu-links-anonymous r-x-list-reporter r-x-list-author
      r-x-es-list-author r-x-list-anonymous-nobasic r-x-tags-anonymous r-x-media-reporter r-x-page-omitted-2
      r-x-alias-enonly r-x-alias-enonly-es`,
  },
  unseen: {
    kinds: ['401 → 404', '403 → 404', '422 → 404'],
    requests: `r-x-media-unpub-reporter r-x-term-unpub-reporter r-x-term-unpub-author r-x-file-private-editor
      r-x-file-private-admin r-x-block-inline r-x-block-unpub r-x-draft-author-anonymous r-x-draft-author-anonymous-nobasic
      r-x-file-private-anonymous-nobasic r-x-term-unpub-anonymous-nobasic r-x-menu-one-nobasic w-misc-39-publish-author w-misc-16-target-unpublished`,
  },
  'hidden-fields': {
    kinds: ['401 → 400', '403 → 400', '200 → 400', '401 → 404', '403 → 404', 'meta', 'data, meta'],
    requests: `r-alias-filter-anon r-list-recipe-user-roles r-list-recipe-user-picture r-user-list-roles-anon r-user-by-name r-user-sort-name
      r-f-uid-internal r-f-uid-name-contains r-x-user-inc-picture r-x-node-inc-user-picture r-x-f-user-name-anonymous
      r-x-f-user-name-reporter r-x-f-user-name-author r-x-f-user-name-editor r-user-by-pass-admin r-user-by-mail-nobasic
      r-user-sort-mail-nobasic r-user-status-nobasic r-f-uid-mail-nobasic r-f-uid-status-nobasic r-s-mail-nobasic
      r-user-sort-mail r-user-status r-f-uid-mail r-f-uid-status r-f-uid-roles-anon r-user-roles r-user-rel-roles
      r-user-picture r-user-picture-nobasic w-misc-59-user-roles-self`,
  },
  'same-fields': {
    kinds: ['data'],
    requests: `r-user-anon-admin r-user-self-editor r-user-self-reporter r-x-draft-author-author r-x-half-es-author`,
  },
  'owner-paths': {
    kinds: ['data', 'data, included', 'data, meta'],
    requests: `r-user-status-admin r-f-uid-id-other r-f-uid-id-es-prefix r-f-uid-in r-x-uid-id-editor r-x-blockeduser-es`,
  },
  'target-ids': {
    kinds: ['data', 'data, links', 'data, meta'],
    requests: `r-f-revuid r-f-tag-vid r-mf-tid r-mf-bundle r-mf-uid r-x-uid-0 r-x-s-uid-id-anon`,
  },
  'file-resources': {
    kinds: [
      'data',
      '200 → 400',
      '200 → 404',
      '403 → 405',
      '204 → 405',
      '200 → 405',
      '401 → 405',
      '404 → 405',
      '500 → 405',
      '404 → 200',
      'data, links',
      'data, included',
      '404 → 422',
      '400 → 422',
    ],
    requests: `r-sparse-file-uri r-sparse-file-uri-url r-sparse-file-filename r-file-list r-file-list-limit r-file-list-author
      r-page-file-50 r-x-file-status0-anon r-x-f-file-secret-anonymous r-x-f-file-secret-author r-x-f-file-secret-editor
      r-file-list-limit-nobasic r-ff-uri r-x-file-anonymous r-x-file-reporter r-x-file-author r-x-file-editor r-x-filex-jpg
      r-x-filex-png r-x-filex-txt r-x-file-inc-uid r-x-null-file-uid r-x-file-uid-tid r-file-rel-uid r-x-file-temp-reporter
      r-x-file-unpub-media-reporter r-x-file-private-author r-x-file-temp-admin r-x-filex-jpg-uid r-x-filex-jpg-rel-uid
      r-x-filex-txt-uid w-upload-01-png w-upload-05-disposition-attachment w-upload-13-same-name-again w-upload-14-path-in-name
      w-upload-15-php-in-name w-upload-16-utf8-name w-upload-18-gif w-upload-19-upper-ext w-upload-25-thumbnail
      w-upload-26-document w-upload-27-user-picture w-upload-42-upload-to-existing w-upload-30-file-after w-upload-02-get-temporary
      w-upload-28-post-file-directly w-delete-file-01-anonymous w-delete-file-02-reporter w-delete-file-03-author-other
      w-delete-file-04-admin-used w-delete-file-05-again w-delete-file-06-get w-delete-file-13-author-own
      w-delete-file-14-editor-any w-delete-file-22-file-rename-owner w-delete-file-23-file-rename-admin
      w-delete-file-24-file-uri w-delete-file-25-file-status w-owner-16-file-uid-owner w-upload-36-media-missing-file
      w-alt-16-patch-missing w-delete-file-07-media w-delete-file-08-media-inc w-delete-file-09-media-rel
      w-delete-file-10-media-related w-delete-file-12-user-picture`,
  },
  'image-titles': { kinds: ['200 → 400'], requests: 'r-x-alt-null' },
  'filtered-drafts': {
    kinds: ['data'],
    requests: `r-x-status0-editor r-x-f-title-draft-editor r-x-f-media-draft-editor r-x-f-term-hidden-editor`,
  },
  'visible-paths': {
    kinds: ['data'],
    requests: `r-x-tag-hidden r-x-null-media r-x-notnull-media-tid r-x-f-tag-unpublished-author`,
  },
  versions: { kinds: ['200 → 404'], requests: 'r-one-1-rv-1-admin' },
  'version-access': { kinds: ['200 → 401', '501 → 401'], requests: 'r-one-1-rv-id r-user-rv' },
  'pending-drafts': {
    kinds: ['data', '403 → 200', '401 → 200', '501 → 200', 'data, meta', '400 → 200'],
    requests: `r-x-pending-img-working r-x-pending-working-author r-x-pending-working-anonymous-nobasic
      r-x-pending-working-anonymous r-x-pending-by-working-list r-x-list-working-copy-anon w-misc-40-patch-pending`,
  },
  'alias-rows': {
    kinds: ['201 → 422', 'data', '200 → 409'],
    requests: `r-aliases-admin r-alias-filter-admin w-misc-22-alias-get2 w-misc-23-alias-noslash w-misc-24-alias-taken w-misc-26-alias-entity w-misc-37-image-set`,
  },
  'entry-point': {
    kinds: ['links'],
    requests: 'r-en-entry r-es-entry r-entry-slash r-entry-admin r-entry-editor',
  },
  'no-faults': { kinds: ['500 → 200'], requests: 'r-f-file-url r-f-moderation r-s-alias r-ff-url' },
  'wrong-bundle': { kinds: ['200 → 404'], requests: 'r-one-1-wrong-bundle' },
  'canonical-self': { kinds: ['links'], requests: 'r-list-slash' },
  'relationship-includes': { kinds: ['included'], requests: 'r-rel-1-image-inc r-rel-1-image-inc-short' },
  'everything-at-once': { kinds: ['400 → 200'], requests: 'r-page-0' },
  'named-errors': { kinds: ['200 → 400'], requests: 'r-page-neg' },
  'configuration-ids': { kinds: ['400 → 200'], requests: 'r-user-roles-filter-id' },
  'virtual-parents': { kinds: ['200 → 404'], requests: 'w-misc-46-term-root' },
  'computed-thumbnails': {
    kinds: ['data', 'data, included'],
    requests: `w-upload-29-media-create w-upload-31-media-get w-upload-32-media-noalt w-upload-35-media-fake-size
      w-upload-43-upload-to-existing-get w-alt-11-get-rel3 w-alt-20-es-patch-entity w-alt-21-es-get`,
  },
  moderation: {
    kinds: ['data', 'data, included', '403 → 200', '403 → 201', '422 → 201'],
    requests: `w-upload-39-node-create w-upload-40-node-get w-owner-17-create-as-author w-owner-18-create-as-author-get
      w-owner-20-create-as-author-published w-owner-22-create-as-editor-published w-misc-38-publish-draft
      w-misc-41-status-admin w-misc-42-status-after w-misc-64-query-on-post`,
  },
  'own-fields': {
    kinds: ['422 → 201', '422 → 204', '403 → 200', 'data', '405 → 201', '405 → 404'],
    requests: `w-upload-34-media-nofile w-alt-12-patch-null w-alt-27-es-get-untranslated w-misc-12-read-only-nid
      w-misc-61-config-patch w-misc-62-config-post w-misc-48-menu-create`,
  },
  'user-accounts': {
    kinds: ['201 → 422', '200 → 403', '422 → 403'],
    requests:
      'w-misc-50-user-create w-misc-53-user-self-mail w-misc-54-user-self-mail-pass w-misc-55-user-self-name',
  },
  'file-metadata': {
    kinds: ['201 → 400', '422 → 400', '422 → 201'],
    requests: 'w-upload-37-media-wrong-type w-upload-38-media-unknown-meta w-upload-41-node-meta-alt',
  },
  'upload-names': {
    kinds: ['201 → 422', '400 → 201', '405 → 404'],
    requests: 'w-upload-17-jpg-named-png w-upload-04-disposition-star w-upload-24-not-a-file-field',
  },
  'null-owners': { kinds: ['200 → 204', 'data'], requests: 'w-owner-06-null w-owner-07-get-null' },
  referrers: {
    kinds: ['404 → 200', 'data', 'included'],
    requests: `w-delete-file-11-node-inc w-delete-file-17-node-after w-delete-file-18-node-after-rel w-delete-file-27-user-delete-get-node
      w-delete-file-30-term-delete-child w-delete-file-31-term-delete-node`,
  },
  gone: { kinds: ['200 → 410'], requests: 'w-delete-file-28-user-delete-get' },
  'missing-translations': {
    kinds: ['405 → 404'],
    requests: 'w-alt-26-es-patch-untranslated w-translation-04-es-patch-untranslated',
  },
  'changed-translations': {
    kinds: ['201 → 405', '200 → 404', '405 → 204', 'data', '500 → 409'],
    requests: `w-translation-05-es-post w-translation-06-es-post-get-en w-translation-10-patch-langcode
      w-translation-12-en-tags-after w-translation-13-es-delete`,
  },
  'wrong-type': {
    kinds: ['201 → 409', '400 → 409'],
    requests: 'w-misc-04-type-mismatch w-misc-10-id-mismatch',
  },
  ids: { kinds: ['422 → 201'], requests: 'w-misc-09-id-not-uuid' },
};
