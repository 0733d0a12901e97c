import type { Services } from '../../core/api/request.ts';
import type { Entity } from '../../core/content/model.ts';
import { bytesInMemory } from '../../core/storage/stored-bytes.ts';

/** `:::note` of Starlight and others, or `> [!NOTE]` of GitHub. */
export interface Callouts {
  readonly syntax: 'directive' | 'alert';
  /** In lower case. */
  readonly kinds: readonly string[];
}

const KINDS = ['note', 'tip', 'info', 'important', 'warning', 'caution', 'danger'];
const SYNTAXES = [
  ['directive', (kind: string) => `:::${kind}\n${WORD}\n:::`],
  ['alert', (kind: string) => `> [!${kind.toUpperCase()}]\n> ${WORD}`],
] as const;
/** Words that no renderer writes. */
const WORD = 'Qxzyw';
const BETWEEN = 'Qxzyv';

/** By resource type: the callouts that the site's Markdown knows, found by rendering one of each. Types without are left out. */
export async function findCallouts({
  store,
  renderBody,
}: Pick<Services, 'store' | 'renderBody'>): Promise<Readonly<Record<string, Callouts>>> {
  const found: Record<string, Callouts> = {};
  for (const type of store.types.keys()) {
    for (const entity of store.entities(type)) {
      if (entity.body?.format !== 'markdown') continue;
      // Plugins can depend on the folder, as those of Starlight do.
      const callouts = await calloutsBeside(entity, renderBody);
      if (callouts !== undefined) found[type] = callouts;
      break;
    }
  }
  return found;
}

async function calloutsBeside(
  entity: Entity,
  renderBody: (entity: Entity) => Promise<string>,
): Promise<Callouts | undefined> {
  for (const [syntax, write] of SYNTAXES) {
    const html = await renderBody(probeBeside(entity, KINDS.map(write).join(`\n\n${BETWEEN}\n\n`)));
    const parts = html.split(BETWEEN);
    const kinds = KINDS.filter((kind, at) => isCallout(parts[at] ?? '', kind));
    if (kinds.length > 0) return { syntax, kinds };
  }
  return undefined;
}

/** True if the marks are gone, and something that names the kind is in their place. */
function isCallout(html: string, kind: string): boolean {
  const rest = html.replace(WORD, '').toLowerCase();
  return html.includes(WORD) && !rest.includes(':::') && !rest.includes(`[!${kind}]`) && rest.includes(kind);
}

let probes = 0;

/** Renderers cache by revision, and a site can change its Markdown at each start. */
function probeBeside({ type, key }: Entity, text: string): Entity {
  const bytes = new TextEncoder().encode(text);
  probes += 1;
  return {
    type,
    id: '_callouts',
    key: `${key.slice(0, key.lastIndexOf('/') + 1)}_callouts-${probes}.md`,
    revision: `${Date.now()}-${probes}`,
    values: {},
    published: false,
    body: { file: bytesInMemory(bytes), start: 0, end: bytes.length, format: 'markdown', summary: null },
  };
}
