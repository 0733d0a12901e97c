import { bodyLength, type Entity, type FieldDefinition, type ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { digestText } from '../util/revision.ts';
import type { BoundedCache, CacheBudget } from './cache-budget.ts';
import type { DocumentContext, Fragment, Fragments, Weight } from './reader.ts';
import { fieldsText, fieldText, referencesOf, serialize } from './serialize.ts';
import { type FieldSelection, visibleFields } from './sparse-fields.ts';

type Seen = Pick<DocumentContext, 'services' | 'access'>;

/** `form` tells apart settings that make other documents of the same content. */
export function createFragments(store: EntityStore, budget: CacheBudget, form: string): Fragments {
  // By view: what a fragment depends on besides its entity.
  const views = budget.cache<string, View>();

  function viewOf({ access, links }: DocumentContext, type: ResourceType, select: FieldSelection): View {
    const visible = visibleFields(type, access);
    const selected = select(type);
    const key = [links.form, type.name, namesOf(visible), namesOf(selected)].join('\n');
    const known = views.get(key);
    if (known?.type === type) return known;
    const references = visible.filter(({ kind }) => kind === 'reference');
    const view = { key, type, visible, selected, references, kept: budget.cache<Entity, Kept>() };
    views.set(key, view, key.length);
    return view;
  }

  function revisionOf({ services }: Seen, entity: Entity, visible: readonly FieldDefinition[]): string {
    return digestText(`${form}\n${fieldsText(services, entity, visible)}`);
  }

  async function write(context: DocumentContext, entity: Entity, view: View): Promise<Fragment> {
    const { version } = store;
    const presence = presenceOf(store, entity, view.references);
    const fragment = await writeOnce(context, entity, view);
    if (version === store.version)
      view.kept.set(entity, { fragment, version, presence }, fragment.bytes.length);
    return fragment;
  }

  async function writeOnce(context: DocumentContext, entity: Entity, view: View): Promise<Fragment> {
    const revision = revisionOf(context, entity, view.visible);
    const { commit } = context.links.version ?? {};
    const meta = { revision, ...(commit !== undefined && { version: commit }) };
    const resource = await serialize(context, entity, view.type, view.selected, meta);
    const bytes = encoder.encode(JSON.stringify(resource));
    return { type: entity.type, id: entity.id, revision, bytes, tag: tagOf(revision, view) };
  }

  function weigh({ services }: Seen, entity: Entity, view: View): Weight {
    let size = MEMBER_BYTES;
    const texts = view.visible.map((field) => {
      const text = fieldText(services, entity, field);
      if (view.selected.includes(field)) size += text.length + htmlLength(entity, field);
      return text;
    });
    return { tag: tagOf(digestText(`${form}\n[${texts.join(',')}]`), view), size };
  }

  function tagOf(revision: string, view: View): string {
    return digestText(`${revision} ${view.key}`);
  }

  function typeOf({ type }: Entity): ResourceType {
    const found = store.types.get(type);
    if (found === undefined) throw new Error(`The store has no resource type '${type}'.`);
    return found;
  }

  return {
    revision: (seen, entity) => revisionOf(seen, entity, visibleFields(typeOf(entity), seen.access)),
    writer(context, select) {
      const ofAnswer = new Map<string, View>();
      const viewFor = (entity: Entity): View => {
        let view = ofAnswer.get(entity.type);
        if (view === undefined) {
          view = viewOf(context, typeOf(entity), select);
          ofAnswer.set(entity.type, view);
        }
        return view;
      };
      const writerBy = (make: typeof write) => (entity: Entity) => {
        const view = viewFor(entity);
        const kept = view.kept.get(entity);
        if (kept === undefined || !holds(kept, entity, view, store)) return make(context, entity, view);
        return kept.fragment;
      };
      return {
        write: writerBy(write),
        writeOnce: writerBy(writeOnce),
        weigh: (entity) => weigh(context, entity, viewFor(entity)),
      };
    },
  };
}

/** What was written holds while its entity does and the targets of its references are there or missing as they were. */
function holds(kept: Kept, entity: Entity, view: View, store: EntityStore): boolean {
  if (kept.version === store.version) return true;
  if (presenceOf(store, entity, view.references) !== kept.presence) return false;
  kept.version = store.version;
  return true;
}

/** Which targets of an entity's references exist, a letter each. */
function presenceOf(store: EntityStore, { values }: Entity, fields: readonly FieldDefinition[]): string {
  let presence = '';
  for (const { name } of fields) {
    for (const { type, id } of referencesOf(values[name])) {
      presence += store.get(type, id) === undefined ? '-' : '+';
    }
  }
  return presence;
}

function namesOf(fields: readonly FieldDefinition[]): string {
  let names = '';
  for (const { name } of fields) names += `${name},`;
  return names;
}

/** About as many bytes as the HTML of a field has: those of the text that it is made of. */
function htmlLength({ body }: Entity, { name }: FieldDefinition): number {
  return name === 'body' && body !== null ? bodyLength(body) : 0;
}

const encoder = new TextEncoder();
/** What type, id and links of a resource count. */
export const MEMBER_BYTES = 500;

interface View {
  readonly key: string;
  readonly type: ResourceType;
  /** What the actor may see. */
  readonly visible: readonly FieldDefinition[];
  /** What is answered. */
  readonly selected: readonly FieldDefinition[];
  readonly references: readonly FieldDefinition[];
  readonly kept: BoundedCache<Entity, Kept>;
}

interface Kept {
  readonly fragment: Fragment;
  /** Of the store, when the fragment was last known to hold. */
  version: number;
  readonly presence: string;
}
