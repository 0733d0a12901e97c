import type { OpenedHandlers, Services } from '../../core/api/request.ts';
import { editingSettings } from '../../core/options/options.ts';
import type { FindDraft } from '../../core/read/reader.ts';
import type { Site } from '../../core/runtime/site.ts';
import { withJobs } from '../../core/server/jobs.ts';
import {
  createDraft,
  createDraftFinder,
  describeDraft,
  listDrafts,
  showDraft,
  writeDraft,
} from './drafts.ts';
import { describeFaulty, showFaulty, writeFaulty } from './faulty.ts';
import { listSources, showSource, writeSource } from './sources.ts';

export function createHandlers(
  { options, now = Date.now }: Pick<Site, 'options' | 'now'>,
  services: () => Services,
): OpenedHandlers & { readonly findDraft: FindDraft } {
  const { requireIfMatch } = editingSettings(options);
  const saving = { requireIfMatch, now };
  return {
    findDraft: createDraftFinder(services),
    handlers: {
      drafts: { answer: listDrafts, write: withJobs((request) => createDraft(request, saving)) },
      draft: {
        answer: showDraft,
        options: describeDraft,
        write: withJobs((request) => writeDraft(request, saving)),
      },
      sources: { answer: listSources },
      source: { answer: showSource, write: withJobs(writeSource) },
      faulty: {
        answer: showFaulty,
        options: describeFaulty,
        write: withJobs((request) => writeFaulty(request, saving)),
      },
    },
  };
}
