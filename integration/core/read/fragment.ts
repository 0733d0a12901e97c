import { UNSTORED_TYPES } from '../content/file-resource.ts';
import { bodyLength, type Entity, type FieldDefinition, type ResourceType } from '../content/model.ts';
import { isOwner, isPublicOwner } from '../content/owner.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { mapValue } from '../util/maybe-promise.ts';
import { digestText } from '../util/revision.ts';
import type { BoundedCache, CacheBudget } from './cache-budget.ts';
import type { DocumentContext, Fragment, Fragments, Reader, Weight } from './reader.ts';
import { fieldsText, fieldText, isKnown, referencesIn, serialize } from './serialize.ts';
import { documentFields, type FieldSelection } from './sparse-fields.ts';
import { translationLinks, visibleTranslations } from './translations.ts';

type ViewContext = Pick<DocumentContext, 'services' | 'access'>;

/**
 * `form` identifies the settings that documents depend on. `storedRevision` returns the revision of an entity if it need not
 * be computed.
 */
export function createFragments(
  store: EntityStore,
  budget: CacheBudget,
  form: string,
  storedRevision?: (entity: Entity) => string | undefined,
): Fragments {
  // A view is everything that a fragment depends on except its entity.
  const views = budget.cache<string, View>();

  function viewOf({ access, links }: DocumentContext, type: ResourceType, select: FieldSelection): View {
    const visible = documentFields(type, access);
    const selected = select(type);
    const key = [links.form, type.name, namesOf(visible), namesOf(selected)].join('\n');
    const cached = views.get(key);
    if (cached?.type === type) return cached;
    const references = visible.filter((field) => field.kind === 'reference' || isOwner(field));
    const view = {
      key,
      type,
      visible,
      selected,
      references,
      fragments: budget.cache<Entity, CachedFragment>(),
    };
    views.set(key, view, key.length);
    return view;
  }

  function revisionOf(
    { services }: ViewContext,
    entity: Entity,
    visible: readonly FieldDefinition[],
  ): string {
    return storedRevision?.(entity) ?? computeRevision(services, entity, visible, form);
  }

  async function write(
    context: DocumentContext,
    entity: Entity,
    view: View,
    translations: readonly Entity[],
  ): Promise<Fragment> {
    const { version } = store;
    const presence = presenceOf(store, entity, view.references);
    const fragment = await writeOnce(context, entity, view, translations);
    if (version === store.version)
      view.fragments.set(entity, { fragment, version, presence }, fragment.bytes.length);
    return fragment;
  }

  async function writeOnce(
    context: DocumentContext,
    entity: Entity,
    view: View,
    translations: readonly Entity[],
  ): Promise<Fragment> {
    const { type, id } = entity;
    const { links } = context;
    const revision = revisionOf(context, entity, view.visible);
    const meta = {
      revision,
      version: links.version?.commit,
      translations: translationLinks(translations, (code) => links.translation(view.type, id, code)),
    };
    const resource = await serialize(context, entity, view.type, view.selected, meta);
    const bytes = encoder.encode(JSON.stringify(resource));
    return { type, id, revision, bytes, tag: tagOf(revision, view, translations), translations };
  }

  function weigh(
    { services }: ViewContext,
    entity: Entity,
    view: View,
    translations: readonly Entity[],
  ): Weight {
    let size = MEMBER_BYTES;
    const texts = view.visible.map((field) => {
      const text = fieldText(services, entity, field);
      if (view.selected.includes(field)) size += text.length + htmlLength(entity, field);
      return text;
    });
    const revision = storedRevision?.(entity) ?? digestText(`${form}\n[${texts.join(',')}]`);
    return { tag: tagOf(revision, view, translations), size };
  }

  function tagOf(revision: string, view: View, translations: readonly Entity[]): string {
    const others = translationLinks(translations, String);
    return digestText(`${revision} ${view.key}${others === undefined ? '' : JSON.stringify(others)}`);
  }

  function typeOf({ type }: Entity): ResourceType {
    return (store.types.get(type) ?? UNSTORED_TYPES.get(type))!;
  }

  return {
    revision: (context, entity) =>
      revisionOf(context, entity, documentFields(typeOf(entity), context.access)),
    writer(context, select) {
      const byType = new Map<string, View>();
      const viewFor = (entity: Entity): View => {
        let view = byType.get(entity.type);
        if (view === undefined) {
          view = viewOf(context, typeOf(entity), select);
          byType.set(entity.type, view);
        }
        return view;
      };
      const writerBy = (make: typeof write) => (entity: Entity) =>
        mapValue(visibleTranslations(context, entity), (translations) => {
          const view = viewFor(entity);
          const cached = view.fragments.get(entity);
          return cached !== undefined && isCurrent(cached, entity, view, store, translations)
            ? cached.fragment
            : make(context, entity, view, translations);
        });
      const hasBody = (entity: Entity) =>
        entity.body !== null && viewFor(entity).selected.some(({ name }) => name === 'body');
      return {
        prepare: (entities) => context.services.loadBodies?.(entities.filter(hasBody)),
        write: writerBy(write),
        writeOnce: writerBy(writeOnce),
        weigh: (entity) =>
          mapValue(visibleTranslations(context, entity), (translations) =>
            weigh(context, entity, viewFor(entity), translations),
          ),
      };
    },
  };
}

export function computeRevision(
  services: Reader,
  entity: Entity,
  visible: readonly FieldDefinition[],
  form: string,
): string {
  return digestText(`${form}\n${fieldsText(services, entity, visible)}`);
}

/** A fragment is current while the same targets of its references exist, and the actor sees the same translations. */
function isCurrent(
  cached: CachedFragment,
  entity: Entity,
  view: View,
  store: EntityStore,
  translations: readonly Entity[],
): boolean {
  const before = cached.fragment.translations;
  if (before.length !== translations.length || !before.every((each, at) => each === translations[at])) {
    return false;
  }
  if (cached.version === store.version) return true;
  if (presenceOf(store, entity, view.references) !== cached.presence) return false;
  cached.version = store.version;
  return true;
}

/** One character for each reference: `+` if its target exists. */
function presenceOf(store: EntityStore, { values }: Entity, fields: readonly FieldDefinition[]): string {
  let presence = '';
  for (const field of fields) {
    for (const reference of referencesIn(values[field.name], field)) {
      presence += isKnown(store, reference, field) ? '+' : '-';
    }
  }
  return presence;
}

function namesOf(fields: readonly FieldDefinition[]): string {
  let names = '';
  for (const field of fields) names += `${field.name}${isPublicOwner(field) ? '*' : ''},`;
  return names;
}

/** An estimate of the bytes of a field's HTML: those of its source. */
function htmlLength({ body }: Entity, { name }: FieldDefinition): number {
  return name === 'body' && body !== null ? bodyLength(body) : 0;
}

const encoder = new TextEncoder();
/** An estimate of the bytes of type, id and links of a resource. */
export const MEMBER_BYTES = 500;

interface View {
  readonly key: string;
  readonly type: ResourceType;
  readonly visible: readonly FieldDefinition[];
  /** The fields in the response. */
  readonly selected: readonly FieldDefinition[];
  readonly references: readonly FieldDefinition[];
  readonly fragments: BoundedCache<Entity, CachedFragment>;
}

interface CachedFragment {
  readonly fragment: Fragment;
  /** The version of the store for which the fragment is current. */
  version: number;
  readonly presence: string;
}
