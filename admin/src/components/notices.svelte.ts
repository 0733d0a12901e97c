/** A message at the edge of the page. Screen readers announce it. */
export interface Notice {
  readonly id: number;
  readonly kind: 'success' | 'error' | 'progress';
  readonly text: string;
  /** A link or a button in the message, such as Undo. */
  readonly action?: { readonly label: string; readonly run: () => void };
  /** A message replaces an earlier one with the same topic. */
  readonly topic?: string;
}

const SHOWN_MS = 6000;
/** Long enough to read the message and to reach its button. */
const SHOWN_WITH_ACTION_MS = 30_000;

class Notices {
  all = $state.raw<readonly Notice[]>([]);
  #next = 0;

  /** Shows a message. Errors and progress stay until they are removed. Returns its id. */
  add(kind: Notice['kind'], text: string, action?: Notice['action'], topic?: string): number {
    const id = ++this.#next;
    const others = this.all.filter((notice) => topic === undefined || notice.topic !== topic);
    this.all = [
      ...others,
      { id, kind, text, ...(action && { action }), ...(topic !== undefined && { topic }) },
    ];
    if (kind === 'success') setTimeout(() => this.remove(id), action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
    return id;
  }

  /** Runs the action of a message, which goes away. */
  act(id: number): void {
    const notice = this.all.find((each) => each.id === id);
    this.remove(id);
    notice?.action?.run();
  }

  remove(id: number): void {
    this.all = this.all.filter((notice) => notice.id !== id);
  }
}

export const notices = new Notices();
