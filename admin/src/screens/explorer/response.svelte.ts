import { tick } from 'svelte';
import { type ApiProblem, objectOf, readFacts } from '../../api/document.ts';
import { type Answer, isSuccess } from '../../api/request.ts';
import { inputAt, marks } from '../../components/marks.svelte.ts';

/** How the engine executed a query, from `explain.json`. */
export interface Plan {
  readonly text: string;
  readonly ast: unknown;
  readonly resolveMs: number;
  readonly executeMs: number;
}

/** The response pane: the last answer, with its errors marked at the inputs that caused them. */
export class ResponseState {
  answer = $state.raw<Answer>();
  headline = $state('');
  isBusy = $state(false);
  plan = $state.raw<Plan>();
  readonly facts = $derived(readFacts(this.answer?.document));
  /** For each error, the key of its input; undefined for an error without an input. */
  errorKeys = $state.raw<readonly (string | undefined)[]>([]);

  /** The previous answer stays visible until the next one arrives. */
  wait(): void {
    this.isBusy = true;
    marks.clear();
  }

  show(answer: Answer, headline?: string): void {
    this.clear('');
    this.answer = answer;
    this.headline = headline ?? headlineOf(answer);
  }

  clear(headline: string): void {
    this.answer = undefined;
    this.headline = headline;
    this.isBusy = false;
    this.plan = undefined;
    this.errorKeys = [];
    marks.clear();
  }

  /** Resolves to whether an input was marked. */
  async markErrors(keyOf: (problem: ApiProblem) => string | undefined): Promise<boolean> {
    await tick();
    const { errors } = this.facts;
    this.errorKeys = errors.map(keyOf).map((key) => (inputAt(key) === undefined ? undefined : key));
    marks.show(errors.map(({ detail }, index) => ({ key: this.errorKeys[index], message: detail })));
    await tick();
    return this.errorKeys.some((key) => key !== undefined);
  }

  /** On a narrow screen the response is below the form. */
  scrollIntoView(): void {
    const pane = document.getElementById('answer');
    if (pane !== null && pane.getBoundingClientRect().top > innerHeight * 0.7) pane.scrollIntoView();
  }
}

export function readPlan(document: unknown): Plan | undefined {
  const { plan, ast, resolveMs, executeMs } = objectOf(document);
  if (typeof plan !== 'string') return undefined;
  return { text: plan, ast, resolveMs: Number(resolveMs), executeMs: Number(executeMs) };
}

function headlineOf(answer: Answer): string {
  if (!isSuccess(answer)) return 'Request failed';
  const { count, shown } = readFacts(answer.document);
  const total = count ?? shown;
  // The entry point has an empty list and no count.
  if (total === undefined || (count === undefined && shown === 0)) return 'Response';
  const noun = total === 1 ? 'entity' : 'entities';
  const part = shown === undefined || shown === total ? '' : `, ${shown} shown`;
  return `${total.toLocaleString('en')} ${noun}${part}`;
}
