declare global {
  namespace AstroJsonapi {
    /**
     * The site. Its generated types add `lang`, the languages of the site, `schema`, its bundles, and `bundles`, the names of
     * those that the schema does not describe.
     */
    interface Site {}
  }
}

type Site = AstroJsonapi.Site;

export type SiteLanguage = Site extends { readonly lang: infer L extends string } ? L : string;

export type SiteSchema = Site extends { readonly schema: infer S } ? S : Record<never, never>;

/** Bundles that `SiteSchema` does not describe. */
export type SiteBundle = Site extends { readonly bundles: infer B extends string }
  ? B
  : [keyof SiteSchema] extends [never]
    ? string
    : never;
