import { notices } from '../../components/notices.svelte.ts';
import { deployText } from '../../texts/deploy.ts';

const MISSING = [404, 410];

/** Opens a page of this server in a new tab, or says that the server does not have it. */
export async function openPage(address: string): Promise<void> {
  const response = await fetch(address, { method: 'HEAD' }).catch(() => undefined);
  if (response !== undefined && MISSING.includes(response.status)) {
    notices.add('error', deployText('missing'), undefined, 'page');
    return;
  }
  const tab = window.open(address, '_blank');
  if (tab === null) notices.add('error', deployText('blocked', { address }), undefined, 'page');
  else tab.opener = null;
}
