import { install } from '../../integration/client.ts';
import { API } from './api/config.ts';

install({ base: API });
