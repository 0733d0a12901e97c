import { ACCOUNT_URL, SCHEMA_URL } from './api/config.ts';
import { begin } from './api/request.ts';

// The server responds to these while the application loads.
begin(ACCOUNT_URL);
begin(SCHEMA_URL);
void import('./main.ts');
