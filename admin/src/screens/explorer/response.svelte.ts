import { tick } from 'svelte';
import { type ApiProblem, objectOf, readFacts } from '../../api/document.ts';
import { type ApiResponse, isSuccess } from '../../api/request.ts';
import { inputAt, marks } from '../../components/marks.svelte.ts';

/** How the engine executed a query, from `explain.json`. */
export interface Plan {
  readonly text: string;
  readonly ast: unknown;
  readonly resolveMs: number;
  readonly executeMs: number;
}

/** The response pane: the last response, with its errors marked at the inputs that caused them. */
export class ResponseState {
  result = $state.raw<ApiResponse>();
  headline = $state('Loading…');
  isBusy = $state(false);
  plan = $state.raw<Plan>();
  readonly facts = $derived(readFacts(this.result?.document));
  /** For each error, the key of its input; undefined for an error without an input. */
  errorKeys = $state.raw<readonly (string | undefined)[]>([]);

  /** The previous response stays visible until the next one arrives. */
  wait(): void {
    this.isBusy = true;
    marks.clear();
  }

  show(result: ApiResponse, headline?: string): void {
    this.clear('');
    this.result = result;
    this.headline = headline ?? headlineOf(result);
  }

  clear(headline: string): void {
    this.result = undefined;
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
    const pane = document.getElementById('response');
    if (pane !== null && pane.getBoundingClientRect().top > innerHeight * 0.7) pane.scrollIntoView();
  }
}

export function readPlan(document: unknown): Plan | undefined {
  const { plan, ast, resolveMs, executeMs } = objectOf(document);
  if (typeof plan !== 'string') return undefined;
  return { text: plan, ast, resolveMs: Number(resolveMs), executeMs: Number(executeMs) };
}

function headlineOf(result: ApiResponse): string {
  if (!isSuccess(result)) return 'Request failed';
  const { count, resourceCount } = readFacts(result.document);
  const total = count ?? resourceCount;
  // The entry point has an empty list and no count.
  if (total === undefined || (count === undefined && resourceCount === 0)) return 'Response';
  const noun = total === 1 ? 'entity' : 'entities';
  const part = resourceCount === undefined || resourceCount === total ? '' : `, ${resourceCount} shown`;
  return `${total.toLocaleString('en')} ${noun}${part}`;
}
