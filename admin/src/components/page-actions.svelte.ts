export interface PageAction {
  readonly label: string;
  run(): void;
}

/** The actions of the current screen. The command palette offers it. */
class PageActions {
  items = $state.raw<readonly PageAction[]>([]);

  /** To be called by a component, which offers these actions as long as it is shown. */
  offer(actions: () => readonly PageAction[]): void {
    $effect(() => {
      this.items = actions();
      return () => {
        this.items = [];
      };
    });
  }
}

export const pageActions = new PageActions();
