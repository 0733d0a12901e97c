import {
  connectTabs,
  type Draft,
  type DraftTarget,
  keepDraft,
  keepLastDraft,
  newSlot,
  openDrafts,
  removeDraft,
  type TabMessage,
} from '../../api/drafts.ts';

/** The form whose unsent changes are kept. */
interface KeptForm {
  /** False for a form whose changes are lost when it goes away. */
  readonly keepsDraft: boolean;
  readonly draftTarget: DraftTarget;
  /** The unsent changes; undefined if there are none. */
  readonly draft: Omit<Draft, 'key'> | undefined;
  /** To be called when another tab has stored a change of the same entity. */
  onStored(): void;
}

/** Keeps the unsent changes of a form in the browser, and exchanges with other tabs which fields these are in. */
export class KeptChanges {
  /** False if the browser does not store the unsent changes. */
  isKept = $state(true);
  /** Names of the fields with unsent changes in each other tab that has a form of this entity. */
  otherTabs = $state.raw<ReadonlyMap<string, readonly string[]>>(new Map());
  readonly #form: KeptForm;
  /** The name of this form among the forms of all tabs. */
  #slot: string;
  #opening: Promise<readonly Draft[]> | undefined;
  #closeDrafts: () => void = () => undefined;
  #keeping: Promise<void> | undefined;
  #mustKeep = false;
  /** Drafts that are part of the changes, and are removed once these are kept. */
  #taken: readonly Draft[] = [];
  #tabs: ReturnType<typeof connectTabs> | undefined;

  /** `slot` is the place of a new entity. */
  constructor(form: KeptForm, slot = newSlot()) {
    this.#form = form;
    this.#slot = slot;
  }

  /** The changes that closed forms have kept. A browser without storage does not keep any. */
  open(): Promise<readonly Draft[]> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Stores the unsent changes. Changes during a store are stored after it. */
  keep(): void {
    if (!this.#form.keepsDraft) return;
    this.tell('changed');
    this.#mustKeep = true;
    this.#keeping ??= this.#keepAll();
  }

  /** To be called when the page goes away: the latest changes may not be stored yet. */
  keepLast(): void {
    this.tell('changed', []);
    const draft = this.#draft;
    if (this.#keeping === undefined || draft === undefined) return;
    try {
      keepLastDraft(draft);
    } catch {
      // The storage is full, and the page can no longer show it.
    }
  }

  /** Removes these drafts once the changes, which they are part of now, are kept. */
  take(...drafts: readonly Draft[]): void {
    this.#taken = [...this.#taken, ...drafts];
  }

  /** Removes what is kept. */
  async forget(): Promise<void> {
    this.#mustKeep = false;
    await this.#keeping;
    if (this.#form.keepsDraft && this.isKept) await this.#remove();
  }

  /** Connects an entity that is stored with the forms of other tabs about it. */
  connect(): void {
    const { keepsDraft, draftTarget } = this.#form;
    if (!keepsDraft || draftTarget.id === undefined || this.#tabs !== undefined) return;
    this.#tabs = connectTabs(draftTarget, (message) => this.#hear(message));
    this.tell('opened');
    this.tell('changed');
  }

  tell(kind: TabMessage['kind'], fields = Object.keys(this.#form.draft?.changes ?? {})): void {
    this.#tabs?.send({ kind, slot: this.#slot, fields });
  }

  /** To be called when the form goes away: another one can continue its changes. */
  async close(): Promise<void> {
    this.tell('changed', []);
    this.#tabs?.close();
    this.#tabs = undefined;
    await this.#opening;
    await this.#keeping;
    this.#closeDrafts();
  }

  get #draft(): Draft | undefined {
    const { draft, draftTarget } = this.#form;
    return draft && { key: { ...draftTarget, slot: this.#slot }, ...draft };
  }

  async #open(): Promise<readonly Draft[]> {
    if (!this.#form.keepsDraft) return [];
    try {
      const { slot, drafts, close } = await openDrafts(this.#form.draftTarget, this.#slot);
      this.#slot = slot;
      this.#closeDrafts = close;
      return drafts;
    } catch {
      return [];
    }
  }

  async #keepAll(): Promise<void> {
    try {
      while (this.#mustKeep) {
        this.#mustKeep = false;
        const draft = this.#draft;
        if (draft === undefined) await this.#remove();
        else {
          await keepDraft(draft);
          await this.#removeTaken();
        }
      }
      this.isKept = true;
    } catch {
      // The browser has no storage, or no room in it. The form says so.
      this.isKept = false;
    }
    this.#keeping = undefined;
  }

  async #remove(): Promise<void> {
    await removeDraft({ ...this.#form.draftTarget, slot: this.#slot });
    await this.#removeTaken();
  }

  async #removeTaken(): Promise<void> {
    const taken = this.#taken;
    // The copy of a new entity that another tab has open is not one of these.
    for (const { key } of taken) if (key.slot !== this.#slot) await removeDraft(key);
    this.#taken = this.#taken.filter((draft) => !taken.includes(draft));
  }

  #hear({ kind, slot, fields }: TabMessage): void {
    if (kind === 'changed') this.otherTabs = new Map([...this.otherTabs, [slot, fields]]);
    if (kind === 'opened') this.tell('changed');
    if (kind === 'stored') this.#form.onStored();
  }
}
