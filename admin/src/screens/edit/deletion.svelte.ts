import { newestInBin } from '../../api/bin.ts';
import { RequestError, type Resource, readList, sendOperations, titleOf } from '../../api/content.ts';
import { type ApiProblem, type Job, readJob } from '../../api/document.ts';
import { failureOf } from '../../api/failure.ts';
import { site } from '../../api/site.svelte.ts';
import {
  deletionOf,
  type Referrer,
  type ReferrerQuery,
  referrerAt,
  referrerQueries,
  referrersIn,
} from '../../model/deletion.ts';
import { translationLanguage } from '../../model/translations.ts';
import { text } from '../../texts/texts.ts';
import { fieldLabel } from './labels.ts';

/** The deletion of an entity with its translations, or of one translation, and the references to it. */
export class Deletion {
  readonly resource: Resource;
  /** Undefined until they are read. */
  referrers = $state.raw<readonly Referrer[]>();
  problems = $state.raw<readonly string[]>([]);
  isRunning = $state(false);
  /** The newest entry of the bin before the deletion. */
  newest: string | undefined;

  constructor(resource: Resource) {
    this.resource = resource;
  }

  /** Finds what refers to the entity. References lead to entities, so nothing refers to a translation. */
  async load(): Promise<void> {
    const isTranslation = translationLanguage(this.resource) !== undefined;
    const queries = isTranslation ? [] : referrerQueries(site.schema, this.resource);
    try {
      const [newest, ...found] = await Promise.all([
        newestInBin(),
        ...queries.map((query) => this.#read(query)),
      ]);
      this.newest = newest;
      this.referrers = found.flat();
    } catch (error) {
      // The server still refuses to delete an entry that others refer to.
      this.referrers = [];
      this.problems = [failureOf(error)];
    }
  }

  /** Deletes everything in one request. True if that succeeded, with the job of the commit. */
  async run(
    replacement: Parameters<typeof deletionOf>[2],
  ): Promise<{ readonly job: Job | undefined } | undefined> {
    const referrers = this.referrers ?? [];
    this.isRunning = true;
    this.problems = [];
    try {
      return {
        job: readJob((await sendOperations(deletionOf(this.resource, referrers, replacement))).document),
      };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const messages = error.problems.map((problem) => this.#messageOf(problem, referrers));
      this.problems = messages.length > 0 ? [...new Set(messages)] : [error.message];
      // Changed entries are read again.
      if (error.status === 412) await this.load();
      return undefined;
    } finally {
      this.isRunning = false;
    }
  }

  async #read({ path, fields }: ReferrerQuery): Promise<readonly Referrer[]> {
    const { pageSize } = site.schema.limits;
    const first = await readList(path);
    const others: Resource[] = [];
    for (let offset = pageSize; offset < first.count; offset += pageSize) {
      others.push(...(await readList(`${path}&page[offset]=${offset}`)).items);
    }
    return referrersIn([...first.items, ...others], fields, this.resource);
  }

  #messageOf(problem: ApiProblem, referrers: readonly Referrer[]): string {
    const { status, detail } = problem;
    const at = referrerAt(problem, referrers);
    if (at === undefined) {
      const title = titleOf(this.resource);
      if (status === '409') return text('delete.hidden', { title });
      return status === '412' ? text('delete.changed', { title }) : detail;
    }
    const title = titleOf(at.referrer.resource);
    switch (status) {
      case '422':
        return text('delete.required', { title, field: at.field ? fieldLabel(at.field) : '' });
      case '403':
        return text('delete.forbidden', { title });
      case '412':
        return text('delete.changed', { title });
      default:
        return detail;
    }
  }
}
