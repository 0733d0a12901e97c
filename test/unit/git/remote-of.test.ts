import { expect, it } from 'vitest';
import { remoteOf } from '../../../integration/features/git/push-queue.ts';
import { createRepository } from '../../support/repository.ts';

it('the remote of a branch is the one that git pushes it to, else origin', async () => {
  const { folder, git } = createRepository();
  const remote = () => remoteOf(folder, 'Drafts.2');
  expect(await remote()).toBe('origin');
  git('config', 'branch.drafts.2.remote', 'lower-case');
  git('config', 'branch.Drafts.remote', 'shorter');
  expect(await remote()).toBe('origin');
  git('config', 'branch.Drafts.2.remote', 'former');
  git('config', '--add', 'branch.Drafts.2.remote', 'upstream');
  expect(await remote()).toBe('upstream');
  git('config', 'remote.pushDefault', 'fork');
  expect(await remote()).toBe('fork');
  git('config', 'branch.Drafts.2.pushRemote', 'host');
  expect(await remote()).toBe('host');
});
