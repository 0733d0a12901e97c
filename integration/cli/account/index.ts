import type { CommandGroup } from '../command.ts';
import { add } from './add.ts';
import { block } from './block.ts';
import { client } from './client.ts';
import { list } from './list.ts';
import { passwd } from './passwd.ts';
import { remove } from './remove.ts';
import { role } from './role.ts';
import { token } from './token.ts';

export const account: CommandGroup = {
  name: 'account',
  summary: 'Accounts of those who sign in: who they are, what roles they have, their tokens.',
  details: [
    'Accounts are stored in a private file of the project: .astro-jsonapi/accounts.json, or the one that option',
    '`editing.accountsFile` names. A running server sees each change at its next request.',
  ],
  commands: [add, passwd, role, token, client, list, block, remove],
};
