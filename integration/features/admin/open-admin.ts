import type { Members } from '../../core/access/members.ts';
import type { Target } from '../../core/api/match-route.ts';
import type { OpenedHandlers, PageHandler } from '../../core/api/request.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import type { LocalMode } from '../../core/runtime/local-mode.ts';
import { searchLanguages } from '../../core/runtime/open-full-text.ts';
import type { OpenedFeature, OpeningRuntime } from '../../core/runtime/site.ts';
import { createAdmin, isAdminFile, type OpenAdminApp } from './admin.ts';
import { createExcerpts } from './excerpts.ts';
import { formProblems } from './form-fields.ts';
import { limitSingle } from './limit-single.ts';
import type { Brand } from './options.ts';
import type { PageRoutes } from './shell.ts';

declare module '../../core/runtime/site.ts' {
  interface SiteParts {
    /** Opens the built admin, if the settings have it. */
    readonly adminApp?: OpenAdminApp;
  }
  interface SiteSettings {
    readonly pageRoutes?: PageRoutes | undefined;
  }
}

/** The pages of the admin, and the local author of a dev server. */
export function openAdmin({ site, services }: OpeningRuntime): OpenedFeature {
  const { settings, adminApp, localMode, options } = site;
  const { bin = false, brand, widgets = {}, single } = options.editing || {};
  return {
    follow: limitSingle(single ?? []),
    problems: () => formProblems(services().store.types.values(), Object.keys(widgets)),
    ...openAdminHandlers({
      openApp: settings.admin ? adminApp : undefined,
      localMode,
      hasSignIn: settings.signIn,
      search: searchLanguages(options, settings.locale, settings.languages),
      bin,
      // A site without this feature has no such option.
      deploy: 'deploy' in options && options.deploy !== undefined,
      // Visitors do not use a dev server.
      pages: settings.dev ? undefined : settings.pageRoutes,
      brand,
      widgets,
      single,
    }),
    ...(localMode && { members: localMembers(localMode) }),
  };
}

function localMembers({ author, mail }: LocalMode): Members {
  const member = { name: author.name ?? '', roles: author.roles, mail };
  return { find: async (name) => (name === member.name ? member : undefined), list: async () => [] };
}

export interface AdminDeps {
  /** Without it, the admin has no pages. */
  readonly openApp: OpenAdminApp | undefined;
  readonly localMode: LocalMode | undefined;
  /** True if accounts can sign in. */
  readonly hasSignIn: boolean;
  /** The stemmed languages of texts. Null if full-text search is off. */
  readonly search: SearchLanguages | null;
  /** True if deleted entries go to the bin. */
  readonly bin: boolean;
  /** True if the published site is built. */
  readonly deploy?: boolean;
  readonly pages?: PageRoutes | undefined;
  readonly brand?: Brand | undefined;
  /** Option `editing.widgets`. */
  readonly widgets?: Readonly<Record<string, string>> | undefined;
  /** Bundles with exactly one entry. */
  readonly single?: readonly string[] | undefined;
}

export function openAdminHandlers({
  openApp,
  localMode,
  hasSignIn,
  search,
  bin,
  deploy = false,
  pages,
  brand,
  widgets,
  single,
}: AdminDeps): OpenedHandlers {
  const page: PageHandler | undefined = openApp && {
    async respond({ request, target, services, visitor }) {
      const { actor } = await visitor();
      const deps = { openApp, hasSignIn, bin, deploy, pages, brand, widgets, single };
      return createAdmin({ services: services(), ...deps })({ request, target, actor });
    },
  };
  return {
    handlers: {
      excerpts: createExcerpts(search),
      ...(page && Object.fromEntries(ADMIN_PAGES.map((name) => [name, page]))),
    },
    async identify(request, { address }, target) {
      const begins =
        localMode !== undefined &&
        target !== undefined &&
        beginsLocalMode(target) &&
        localMode.admits(request, address);
      const author = begins ? localMode.author : localMode?.authorOf(request, address);
      if (author === undefined) return undefined;
      const setCookie = begins ? localMode?.cookie : undefined;
      return { actor: author, signIn: { by: 'local', csrf: null }, setCookie };
    },
  };
}

const ADMIN_PAGES: readonly string[] = ['admin', 'add-link', 'edit-link'];

/** Pages, and the request with which an open app finds out that the dev server was restarted. */
function beginsLocalMode(target: Target): boolean {
  const { name } = target.route;
  return (ADMIN_PAGES.includes(name) || name === 'me') && !isAdminFile(target);
}
