import type { Feature } from './core/runtime/site.ts';
import { accounts } from './features/accounts/feature.ts';
import { admin } from './features/admin/feature.ts';
import { bin } from './features/bin/feature.ts';
import { deploy } from './features/deploy/feature.ts';
import { docusaurus } from './features/docusaurus/feature.ts';
import { draftMode } from './features/draft-mode/feature.ts';
import { drafts } from './features/drafts/feature.ts';
import { drupal } from './features/drupal/feature.ts';
import { forge } from './features/forge/feature.ts';
import { git } from './features/git/feature.ts';
import { images } from './features/images/feature.ts';
import { markup } from './features/markup/feature.ts';
import { mcp } from './features/mcp/feature.ts';
import { mdx } from './features/mdx/feature.ts';
import { openapi } from './features/openapi/feature.ts';
import { operations } from './features/operations/feature.ts';
import { postgres } from './features/postgres/feature.ts';
import { preview } from './features/preview/feature.ts';
import { redirects } from './features/redirects/feature.ts';
import { replica } from './features/replica/feature.ts';
import { rest } from './features/rest/feature.ts';
import { schema } from './features/schema/feature.ts';
import { search } from './features/search/feature.ts';
import { share } from './features/share/feature.ts';
import { staticSite } from './features/static/feature.ts';
import { templates } from './features/templates/feature.ts';
import { toml } from './features/toml/feature.ts';
import { uploads } from './features/uploads/feature.ts';
import { webhooks } from './features/webhooks/feature.ts';

// They add their options to the type `JsonapiOptions`.
export type {} from './features/accounts/options.ts';
export type {} from './features/admin/options.ts';
export type {} from './features/bin/options.ts';
export type {} from './features/deploy/options.ts';
export type {} from './features/draft-mode/options.ts';
export type {} from './features/drupal/options.ts';
export type {} from './features/forge/options.ts';
export type {} from './features/git/options.ts';
export type {} from './features/images/options.ts';
export type {} from './features/postgres/options.ts';
export type {} from './features/redirects/options.ts';
export type {} from './features/static/options.ts';
export type {} from './features/webhooks/options.ts';

/** All features. A site can do without each of them: delete its folder and its lines in this file and in `features/reading.ts`. */
export const FEATURES: readonly Feature[] = [
  schema,
  drupal,
  rest,
  search,
  openapi,
  operations,
  uploads,
  bin,
  drafts,
  templates,
  markup,
  redirects,
  replica,
  images,
  git,
  forge,
  accounts,
  postgres,
  // Before the admin, whose pages on a site without a server read its files.
  staticSite,
  admin,
  preview,
  share,
  deploy,
  mcp,
  webhooks,
  draftMode,
  toml,
  mdx,
  docusaurus,
];
