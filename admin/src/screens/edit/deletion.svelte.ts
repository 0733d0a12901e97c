import { newestInBin } from '../../api/bin.ts';
import { RequestError, type Resource, readList, sendOperations, titleOf } from '../../api/content.ts';
import { type ApiProblem, type Job, readJob } from '../../api/document.ts';
import { failureOf } from '../../api/failure.ts';
import { problemText } from '../../api/problem-texts.ts';
import { site } from '../../api/site.svelte.ts';
import {
  type DeletionStep,
  deletionOf,
  type Referrer,
  type ReferrerQuery,
  referrerQueries,
  referrersIn,
  stepAt,
  uniqueReferrers,
} from '../../model/deletion.ts';
import { translationLanguage } from '../../model/translations.ts';
import { bulkText } from '../../texts/bulk.ts';
import { fieldLabel } from './labels.ts';

export interface DeletionResult {
  readonly job: Job | undefined;
  /** The newest entry of the bin before. */
  readonly newest: string | undefined;
}

/** The deletion of entities with their translations, or of one translation, and the references to them. */
export class Deletion {
  readonly resources: readonly Resource[];
  /** Undefined until they are read. Some can be among the entities. */
  referrers = $state.raw<readonly Referrer[]>();
  problems = $state.raw<readonly string[]>([]);
  isRunning = $state(false);
  #newest: string | undefined;

  constructor(resources: readonly Resource[]) {
    this.resources = resources;
  }

  /** Finds what refers to the entities. References lead to entities, so nothing refers to a translation. */
  async load(): Promise<void> {
    const sources = this.resources.filter((each) => translationLanguage(each) === undefined);
    try {
      const [newest, ...found] = await Promise.all([
        newestInBin(),
        ...referrerQueries(site.schema, sources).map((query) => this.#read(query, sources)),
      ]);
      this.#newest = newest;
      this.referrers = uniqueReferrers(found.flat());
    } catch (error) {
      // The server still refuses to delete an entry that others refer to.
      this.referrers = [];
      this.problems = [failureOf(error)];
    }
  }

  /** Deletes everything, in one request if the server accepts that many operations. Undefined if that failed. */
  async run(replacement: Parameters<typeof deletionOf>[2]): Promise<DeletionResult | undefined> {
    const { operations: most } = site.schema.limits;
    const requests = deletionOf(this.resources, this.referrers ?? [], replacement, most);
    this.isRunning = true;
    this.problems = [];
    let job: Job | undefined;
    try {
      for (const [index, steps] of requests.entries()) {
        try {
          const operations = steps.map(({ operation }) => operation);
          // Responses with all fields would contain rendered bodies.
          const fields = new URLSearchParams(
            site.schema.types.map(({ name }) => [`fields[${name}]`, 'title']),
          );
          job = readJob((await sendOperations(operations, `?${fields}`)).document);
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          const messages = await Promise.all(error.problems.map((problem) => messageOf(problem, steps)));
          const reasons = messages.length > 0 ? [...new Set(messages)] : [error.message];
          this.problems = index === 0 ? reasons : [bulkText('delete.partly'), ...reasons];
          // Changed entries are read again.
          if (error.status === 412) await this.load();
          return undefined;
        }
      }
      return { job, newest: this.#newest };
    } finally {
      this.isRunning = false;
    }
  }

  async #read({ path, fields }: ReferrerQuery, sources: readonly Resource[]): Promise<readonly Referrer[]> {
    const { pageSize } = site.schema.limits;
    const first = await readList(path);
    const others: Resource[] = [];
    for (let offset = pageSize; offset < first.count; offset += pageSize) {
      others.push(...(await readList(`${path}&page[offset]=${offset}`)).items);
    }
    return referrersIn([...first.items, ...others], fields, sources);
  }
}

async function messageOf(problem: ApiProblem, steps: readonly DeletionStep[]): Promise<string> {
  const { status } = problem;
  const at = stepAt(problem, steps);
  if (at === undefined) return problemText(problem);
  const title = titleOf(at.resource);
  switch (status) {
    case '409':
      return at.referrer === undefined ? bulkText('delete.hidden', { title }) : problemText(problem);
    case '422':
      return bulkText('delete.required', { title, field: at.field ? fieldLabel(at.field) : '' });
    case '403':
      return bulkText(at.referrer === undefined ? 'delete.mayNot' : 'delete.forbidden', { title });
    case '412':
      return bulkText('delete.changed', { title });
    default:
      return problemText(problem);
  }
}
